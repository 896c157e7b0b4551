import type { Database } from '#server/db/database.ts';

/**
 * Ends the claims on jobs and payment events that the process before left when it was killed, so that they run now instead of after a
 * minute. Only for a database that no other process has open: its claims would end too.
 */
export async function endClaims(db: Database): Promise<void> {
  await db.query(
    `update private.outbox set lease_until = '-infinity' where done_at is null and closed_at is null and lease_until > '-infinity'`,
  );
  // An event that has failed waits for its next try, which is no claim.
  await db.query(
    `update private.webhook_inbox set next_try_at = received_at where handled_at is null and last_error is null`,
  );
}
