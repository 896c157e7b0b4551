import type { BookingFacts } from '../core/booking-rows.ts';
import { Refusal } from '../core/refusal.ts';

/** Where a booking goes. */
export type Place = { readonly studioId: string; readonly startTime: Date; readonly endTime: Date };

/** Returns why a booking cannot go there now; null when it can. A session that has begun can only end later. */
export function moveProblem(booking: BookingFacts, { studioId, startTime, endTime }: Place, now: Date): Refusal | null {
  if (booking.status === 'cancelled') return new Refusal('already_done', 'This booking is cancelled.');
  if (booking.status === 'pending')
    return new Refusal('not_confirmed', 'This booking hasn’t been paid yet. Cancel it and make another one.');
  const [start, end] = [Date.parse(booking.startTime), Date.parse(booking.endTime)];
  if (now.getTime() >= end) return new Refusal('too_late', 'This booking is over.');
  if (now.getTime() < start) return null;
  if (studioId !== booking.studioId || startTime.getTime() !== start || endTime.getTime() < end)
    return new Refusal('too_late', 'This session has begun. It can only end later.');
  return null;
}
