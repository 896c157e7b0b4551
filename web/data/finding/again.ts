import { weekLater } from '#rules/finding/week-later.ts';
import { bookingQuery } from '#rules/finding/booking-link.ts';
import { type Busy, slotsOfSpan, slotTaken, toSpan } from '#rules/slots.ts';
import { addDays, formatStudioDate, studioDate } from '#rules/studio-time.ts';
import { paths } from '#web/lib/paths.ts';

/** A booking that the customer may want to make again. */
type Booked = {
  readonly studioId: string;
  readonly start: Date;
  readonly end: Date;
  /** The booking was cancelled, so its own hours are suggested while they are still ahead. */
  readonly cancelled?: boolean;
  /** The customer's own bookings in this room, including the later dates of a series. */
  readonly own?: readonly Busy[];
};

/**
 * Returns a link that chooses the same room and the same hours of the clock a week later. Weeks in the past, and weeks in which the
 * customer has already booked these hours, are skipped. `day` names the day: "Fri 27 Nov", or '' if the hours are not on the grid and only
 * the room is chosen. `sameTime`: the label of the link next to an upcoming booking.
 */
export function bookAgain(
  { studioId, start, end, cancelled = false, own = [] }: Booked,
  now: Date,
): { to: string; day: string; sameTime: string } {
  const booked = slotsOfSpan(start, end) ?? [];
  const sameAgain = cancelled && start > now && !booked.some((slot) => slotTaken(slot, own));
  const slots = sameAgain ? booked : weekLater(booked, now, own);
  const day = slots.length === 0 ? '' : formatStudioDate(toSpan(slots).start, 'medium').slice(0, -' 2026'.length);
  const isNext = slots.length === 0 || studioDate(toSpan(slots).start) === addDays(studioDate(start), 7);
  return {
    to: `${paths.booking}${bookingQuery({ studioId, slots })}`,
    day,
    sameTime: isNext ? 'Same time next week' : `Same time, ${day}`,
  };
}
