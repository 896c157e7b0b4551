import { formatStudioDate, formatStudioTime } from './studio-time.ts';

/**
 * Returns whether, and until when, a booking can be cancelled for a full refund. `start`: the start on which the booking's terms are based.
 * `freeHours`: elapsed hours before that start, as frozen with the booking, or today's setting for a booking that has none.
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
 * Returns what a customer can change of a paid booking without staff. Hours and room can change until the free cancellation ends
 * (`freeHours` before `termsStart`, as frozen with the booking); the end can be moved later until the session ends.
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
 * Returns a sentence that states until when a booking can be cancelled for a full refund, or that there is no refund. `termsStart`: the
 * start on which the booking's terms are based, which differs from `start` after staff have moved it. The other arguments are those of
 * `cancellationTerms`.
 */
export function describeCancellation(termsStart: Date, now: Date, freeHours: number, start = termsStart): string {
  const { allowed, until } = cancellationTerms(termsStart, now, freeHours);
  if (allowed)
    return `Free to cancel until ${formatStudioTime(until)} on ${formatStudioDate(until, 'medium')}, Sydney time.`;
  return start.getTime() - now.getTime() > freeHours * 3_600_000
    ? 'The time to cancel for a refund is over.'
    : `Starts within ${freeHours} ${freeHours === 1 ? 'hour' : 'hours'}: no refund if you cancel.`;
}
