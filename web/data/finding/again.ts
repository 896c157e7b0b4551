import { weekLater } from '#rules/finding/any-room.ts';
import { bookingQuery } from '#rules/finding/booking-link.ts';
import { slotsOfSpan, spanOf } from '#rules/slots.ts';
import { formatStudioDate } from '#rules/studio-time.ts';
import { paths } from '#web/lib/paths.ts';

/** A booking that somebody may want again. */
type Booked = {
  readonly studioId: string;
  readonly start: Date;
  readonly end: Date;
  /** Its own hours are wanted again, while they are to come. */
  readonly cancelled?: boolean;
};

/**
 * Returns the address that chooses the same room and hours of the clock a week later, or as many weeks later as it takes to be ahead; `day` names it: "Fri 27 Nov", '' when the hours are
 * not on the grid and only the room is chosen.
 */
export function bookAgain({ studioId, start, end, cancelled = false }: Booked, now: Date): { to: string; day: string } {
  const booked = slotsOfSpan(start, end) ?? [];
  const slots = cancelled && start > now ? booked : weekLater(booked, now);
  const day = slots.length === 0 ? '' : formatStudioDate(spanOf(slots).start, 'medium').slice(0, -' 2026'.length);
  return { to: `${paths.booking}${bookingQuery({ studioId, slots })}`, day };
}
