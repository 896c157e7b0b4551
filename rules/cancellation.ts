import { formatStudioDate, formatStudioTime } from './studio-time.ts';

/**
 * Whether and until when a booking can be cancelled for a full refund. `start`: the start from which its terms count. `freeHours`: elapsed hours before the start, as frozen with
 * the booking; today's setting for a booking without.
 */
export function cancellationTerms(
  start: Date,
  now: Date,
  freeHours: number,
): { allowed: boolean; refund: 'full' | 'none'; until: Date; freeHours: number } {
  const until = new Date(start.getTime() - freeHours * 3_600_000);
  const allowed = now <= until;
  return { allowed, refund: allowed ? 'full' : 'none', until, freeHours };
}

/**
 * What a customer can change of a paid booking without asking: other hours or another room until it can no longer be cancelled for a full refund
 * (`freeHours` before `termsStart`, as frozen with the booking), a later end until the session ends.
 */
export function changeTerms(
  span: { readonly start: Date; readonly end: Date; readonly termsStart: Date },
  now: Date,
  freeHours: number,
): { move: boolean; extend: boolean; until: Date } {
  const { allowed, until } = cancellationTerms(span.termsStart, now, freeHours);
  return { move: allowed && now < span.start, extend: now < span.end, until };
}

/** Returns until when a booking can be cancelled for a full refund, or that there is none, as a sentence. Arguments as for `cancellationTerms`. */
export function describeCancellation(start: Date, now: Date, freeHours: number): string {
  const { allowed, until } = cancellationTerms(start, now, freeHours);
  return allowed
    ? `Free to cancel until ${formatStudioTime(until)} on ${formatStudioDate(until, 'medium')}, Sydney time.`
    : `Starts within ${freeHours} hours: no refund if you cancel.`;
}
