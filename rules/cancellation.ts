import { settings } from './venue.ts';

/** Free until 24 elapsed hours before the start; later the studio is asked (decisions T-45). */
export function cancellationTerms(start: Date, now: Date): { allowed: boolean; refund: 'full' | 'none'; until: Date } {
  const until = new Date(start.getTime() - settings.freeCancelHours * 3_600_000);
  const allowed = now <= until;
  return { allowed, refund: allowed ? 'full' : 'none', until };
}
