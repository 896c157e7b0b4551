const MINUTE_MS = 60_000;
/** The provider keeps a session for less than a day. A minute of room, because its clock may differ from ours. */
const LONGEST_MS = 24 * 60 * MINUTE_MS - MINUTE_MS;

/**
 * Returns when the provider closes the session of a hold: with the hold, but not sooner than `sessionMinutes` and not later than the
 * provider allows. In whole seconds, as the provider counts: a repeated call must send the same value.
 */
export function sessionExpiry(now: Date, holdExpiresAt: Date, sessionMinutes: number): Date {
  const from = Math.ceil(now.getTime() / 1000) * 1000;
  const wanted = Math.floor(holdExpiresAt.getTime() / 1000) * 1000;
  return new Date(Math.min(Math.max(wanted, from + sessionMinutes * MINUTE_MS), from + LONGEST_MS));
}
