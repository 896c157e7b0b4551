import { constants } from './venue.ts';

/**
 * Returns until when hours are held for a customer who got a link to pay: a day, but no later than an hour before the start. null when
 * that leaves less time than any hold has.
 */
export function linkHoldEnd(start: Date, now: Date, holdMinutes: number): Date | null {
  const end = Math.min(
    now.getTime() + constants.linkHoldMinutes * 60_000,
    start.getTime() - constants.linkLeadMinutes * 60_000,
  );
  return end < now.getTime() + holdMinutes * 60_000 ? null : new Date(end);
}

/** A customer who pays at once needs at least this long. */
const SHORTEST_PAYMENT_MINUTES = 2;

type Span = { readonly studioId: string; readonly start: Date; readonly end: Date };

/**
 * Returns until when the new hours of a booking are held for a customer who got a link to pay the difference: as for a link to pay a booking,
 * and no later than an hour before the old hours. A session that only ends later can be paid until it would have ended.
 */
export function moveHoldEnd(from: Span, to: Span, now: Date, holdMinutes: number): Date | null {
  const keepsStart = from.studioId === to.studioId && from.start.getTime() === to.start.getTime();
  if (!keepsStart) return linkHoldEnd(from.start < to.start ? from.start : to.start, now, holdMinutes);
  const end = Math.min(now.getTime() + constants.linkHoldMinutes * 60_000, from.end.getTime(), to.end.getTime());
  return end < now.getTime() + holdMinutes * 60_000 ? null : new Date(end);
}

/**
 * Returns until when the new hours of a booking are held for a customer who pays the difference at once: as long as for a new booking, but no later
 * than the old hours begin, or end when only the end is later. null when that leaves no time to pay.
 */
export function ownMoveHoldEnd(from: Span, to: Span, now: Date, holdMinutes: number): Date | null {
  const keepsStart = from.studioId === to.studioId && from.start.getTime() === to.start.getTime();
  const last = keepsStart ? Math.min(from.end.getTime(), to.end.getTime()) : from.start.getTime();
  const end = Math.min(now.getTime() + holdMinutes * 60_000, last);
  return end < now.getTime() + SHORTEST_PAYMENT_MINUTES * 60_000 ? null : new Date(end);
}
