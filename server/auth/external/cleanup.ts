import type { Database } from '#server/db/database.ts';
import type { Clock } from '#server/http/caller.ts';

/** Deletes expired codes, challenges, unfinished sign-ins at providers, and proofs of the replay guard. */
export async function deleteExpired(db: Database, clock: Clock): Promise<void> {
  await db.query(`delete from auth.one_time_tokens where expires_at < $1::timestamptz - interval '1 day'`, [clock()]);
  const tables = ['mfa_challenges', 'webauthn_challenges', 'flow_state', 'shown_proofs'] as const;
  for (const table of tables)
    await db.query(`delete from auth.${table} where expires_at < $1::timestamptz - interval '1 hour'`, [clock()]);
}
