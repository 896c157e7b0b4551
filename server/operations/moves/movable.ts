import type { BookingFacts } from '../core/booking-rows.ts';
import { Refusal } from '../core/refusal.ts';

/** The studio and hours of a booking or move. */
export type Place = { readonly studioId: string; readonly startTime: Date; readonly endTime: Date };

/** Returns whether a booking keeps its studio and start and ends later. */
export const endsOnlyLater = (booking: BookingFacts, { studioId, startTime, endTime }: Place): boolean =>
  studioId === booking.studioId &&
  startTime.getTime() === booking.startTime.getTime() &&
  endTime.getTime() > booking.endTime.getTime();

/**
 * Returns the start to which a booking's cancellation terms refer after a move. A customer who chooses other hours within the terms agrees
 * to new ones. A move by staff and a later end keep the earliest start.
 */
export function termsStartAfter(booking: BookingFacts, to: Place, byCustomer: boolean): Date {
  if (byCustomer && !endsOnlyLater(booking, to)) return to.startTime;
  return new Date(Math.min(booking.termsStart.getTime(), to.startTime.getTime()));
}

/** Returns why a booking cannot move there now; null if it can. A session that has begun can only end later. */
export function moveProblem(booking: BookingFacts, { studioId, startTime, endTime }: Place, now: Date): Refusal | null {
  if (booking.status === 'cancelled') return new Refusal('already_done', 'This booking is cancelled.');
  if (booking.status === 'pending')
    return new Refusal('not_confirmed', 'This booking hasn’t been paid yet. Cancel it and make another one.');
  const [start, end] = [booking.startTime.getTime(), booking.endTime.getTime()];
  if (now.getTime() >= end) return new Refusal('too_late', 'This booking has ended.');
  if (now.getTime() < start) return null;
  if (studioId !== booking.studioId || startTime.getTime() !== start || endTime.getTime() < end)
    return new Refusal('too_late', 'This session has started. You can only extend it.');
  return null;
}
