import { useQuery } from '@tanstack/react-query';
import type { CouponTerms } from '#rules/coupon-discount.ts';
import type { Slot } from '#rules/slots.ts';
import { type BookingDraft, drafts, isDraft } from '#web/lib/drafts.ts';
import { createDraft, type PricedStudio } from './booking-draft.ts';
import { fetchClient } from '../fetch-client.ts';
import { rest } from '../rest.ts';
import { queryKeys } from '../query-keys.ts';

/** Milliseconds after its start for which a draft is still offered. */
const GRACE_MS = 1_800_000;

/** Queries the draft stored on the server, for a tab that has none. Null if there is none or its start has passed. */
export function useServerDraft(userId: string | null, enabled: boolean) {
  return useQuery({
    queryKey: queryKeys.draft.of(userId),
    queryFn: readServerDraft,
    enabled: enabled && userId !== null,
    retry: 0,
  });
}

async function readServerDraft(): Promise<BookingDraft | null> {
  const { data, error } = await rest.from('booking_drafts').select('data').maybeSingle();
  if (error) throw error;
  const draft: unknown = data?.data;
  return isDraft(draft) && Date.parse(draft.start_time) > Date.now() - GRACE_MS ? draft : null;
}

/** Stores the draft on the server too, for other tabs and devices. It is only a cache, so a failed write is only logged. */
export async function keepServerDraft(draft: BookingDraft): Promise<void> {
  const { error } = await rest.from('booking_drafts').upsert({ data: draft });
  // oxlint-disable-next-line no-console
  if (error) console.warn('the draft could not be stored on the server', error.message);
}

/** Replaces the draft with one for other hours, in this tab and on the server, and returns it. */
export function replaceDraft(studio: PricedStudio, slots: readonly Slot[], coupon: CouponTerms | null): BookingDraft {
  const draft = createDraft(studio, slots, coupon);
  drafts.saveBooking(draft);
  void keepServerDraft(draft);
  return draft;
}

/** Deletes the stored draft once it is paid for. A failed call is logged. */
export async function dropServerDraft(): Promise<void> {
  const { data } = await (await fetchClient()).auth.getSession();
  if (!data.session) return;
  const { error } = await rest.from('booking_drafts').delete().eq('user_id', data.session.user.id);
  // oxlint-disable-next-line no-console
  if (error) console.warn('the stored draft could not be deleted', error.message);
}
