/**
 * Whether and until when a booking can be cancelled for a full refund. `freeHours`: elapsed hours before the start, as frozen with
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
