import type { Database } from '#server/db/database.ts';

/**
 * Ends the claims on jobs and payment events that a killed process left, so that they run now instead of after a minute. Use it only for a
 * database that no other process has open, because it would end the claims of that process too.
 */
export async function endClaims(db: Database): Promise<void> {
  await db.query(
    `update private.outbox set lease_until = '-infinity' where done_at is null and closed_at is null and lease_until > '-infinity'`,
  );
  // An event that has failed waits for its next try; that is not a claim.
  await db.query(
    `update private.webhook_inbox set next_try_at = received_at where handled_at is null and last_error is null`,
  );
}
