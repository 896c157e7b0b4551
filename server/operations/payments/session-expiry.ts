const MINUTE_MS = 60_000;
/** Longest life of a session. The provider allows less than a day; the minute is a margin for clock differences. */
const LONGEST_MS = 24 * 60 * MINUTE_MS - MINUTE_MS;

/**
 * Returns when the provider closes the session of a hold: with the hold, but not sooner than `sessionMinutes` and not later than the
 * provider allows. The result is in whole seconds, as the provider counts, because a repeated call must send the same value.
 */
export function sessionExpiry(now: Date, holdExpiresAt: Date, sessionMinutes: number): Date {
  const from = Math.ceil(now.getTime() / 1000) * 1000;
  const holdEnd = Math.floor(holdExpiresAt.getTime() / 1000) * 1000;
  return new Date(Math.min(Math.max(holdEnd, from + sessionMinutes * MINUTE_MS), from + LONGEST_MS));
}
