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

/**
 * Returns until when a booking can be cancelled for a full refund, or that there is none, as a sentence. `termsStart`: the start from which its terms
 * count, which differs from `start` after staff have moved it. Other arguments as for `cancellationTerms`.
 */
export function describeCancellation(termsStart: Date, now: Date, freeHours: number, start = termsStart): string {
  const { allowed, until } = cancellationTerms(termsStart, now, freeHours);
  if (allowed)
    return `Free to cancel until ${formatStudioTime(until)} on ${formatStudioDate(until, 'medium')}, Sydney time.`;
  return start.getTime() - now.getTime() > freeHours * 3_600_000
    ? 'The time to cancel for a refund is over.'
    : `Starts within ${freeHours} ${freeHours === 1 ? 'hour' : 'hours'}: no refund if you cancel.`;
}
