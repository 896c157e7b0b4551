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
