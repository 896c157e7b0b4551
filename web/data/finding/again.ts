import { weekLater } from '#rules/finding/week-later.ts';
import { bookingQuery } from '#rules/finding/booking-link.ts';
import { type Busy, slotsOfSpan, slotTaken, spanOf } from '#rules/slots.ts';
import { addDays, formatStudioDate, studioDate } from '#rules/studio-time.ts';
import { paths } from '#web/lib/paths.ts';

/** A booking that somebody may want again. */
type Booked = {
  readonly studioId: string;
  readonly start: Date;
  readonly end: Date;
  /** Its own hours are wanted again, while they are to come. */
  readonly cancelled?: boolean;
  /** What the customer has booked in this room: of a series, the next dates too. */
  readonly own?: readonly Busy[];
};

/**
 * Returns the address that chooses the same room and hours of the clock a week later, or as many weeks later as it takes to be ahead and not booked already; `day` names it: "Fri 27 Nov", ''
 * when the hours are not on the grid and only the room is chosen. `sameTime`: what a link beside a coming booking says.
 */
export function bookAgain(
  { studioId, start, end, cancelled = false, own = [] }: Booked,
  now: Date,
): { to: string; day: string; sameTime: string } {
  const booked = slotsOfSpan(start, end) ?? [];
  const sameAgain = cancelled && start > now && !booked.some((slot) => slotTaken(slot, own));
  const slots = sameAgain ? booked : weekLater(booked, now, own);
  const day = slots.length === 0 ? '' : formatStudioDate(spanOf(slots).start, 'medium').slice(0, -' 2026'.length);
  const isNext = slots.length === 0 || studioDate(spanOf(slots).start) === addDays(studioDate(start), 7);
  return {
    to: `${paths.booking}${bookingQuery({ studioId, slots })}`,
    day,
    sameTime: isNext ? 'Same time next week' : `Same time, ${day}`,
  };
}
