import { settings } from './venue.ts';

/**
 * Returns until when hours are held for a customer who got a link to pay: a day, but no later than an hour before the start. null when
 * that leaves less time than any hold has.
 */
export function linkHoldEnd(start: Date, now: Date, holdMinutes: number): Date | null {
  const end = Math.min(
    now.getTime() + settings.linkHoldMinutes * 60_000,
    start.getTime() - settings.linkLeadMinutes * 60_000,
  );
  return end < now.getTime() + holdMinutes * 60_000 ? null : new Date(end);
}

type Span = { readonly studioId: string; readonly start: Date; readonly end: Date };

/**
 * Returns until when the new hours of a booking are held for a customer who got a link to pay the difference: as for a link to pay a booking,
 * and no later than an hour before the old hours. A session that only ends later can be paid until it would have ended.
 */
export function moveHoldEnd(from: Span, to: Span, now: Date, holdMinutes: number): Date | null {
  const keepsStart = from.studioId === to.studioId && from.start.getTime() === to.start.getTime();
  if (!keepsStart) return linkHoldEnd(from.start < to.start ? from.start : to.start, now, holdMinutes);
  const end = Math.min(now.getTime() + settings.linkHoldMinutes * 60_000, from.end.getTime(), to.end.getTime());
  return end < now.getTime() + holdMinutes * 60_000 ? null : new Date(end);
}
