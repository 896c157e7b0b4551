import { callFunction } from '../fetch-client.ts';
import { type BookingDraft, readTyped, saveTyped } from '#web/lib/drafts.ts';

/** Storage key under which this tab keeps the hours that the server holds. `until` is an instant as text. */
const KEPT = 'earlyHold';
const NONE = { studioId: '', start: '', end: '', until: '' };

/**
 * Requests a hold of the hours of a booking for a few minutes while the ID is verified, and stores until when they are held. Nothing
 * depends on it, because hours that are not held can be booked as long as they are free. A series is never held.
 */
export async function holdEarly(draft: BookingDraft): Promise<void> {
  if (draft.series !== undefined) return;
  const span = { studioId: draft.studio_id, startTime: draft.start_time, endTime: draft.end_time };
  try {
    const { heldUntil } = await callFunction('hold-hours', span);
    saveTyped(KEPT, {
      studioId: draft.studio_id,
      start: draft.start_time,
      end: draft.end_time,
      until: heldUntil,
    });
  } catch {
    // The call was refused or the server was not reached: the hours are not held, and no page claims that they are.
  }
}

/** Returns until when the hours of a booking are held while the ID is verified; null if they are not held. */
export function getEarlyHoldEnd(draft: BookingDraft): Date | null {
  const hold = readTyped(KEPT, NONE);
  const covers =
    hold !== null &&
    draft.series === undefined &&
    hold.studioId === draft.studio_id &&
    Date.parse(hold.start) <= Date.parse(draft.start_time) &&
    Date.parse(hold.end) >= Date.parse(draft.end_time);
  return covers ? new Date(hold.until) : null;
}
