import type { Database } from '#server/db/database.ts';
import type { Clock } from '#server/http/caller.ts';

/** Removes what was begun and never finished: challenges, sign-ins at other parties, notes of proofs that are over. */
export async function deleteExpired(db: Database, clock: Clock): Promise<void> {
  const tables = ['mfa_challenges', 'webauthn_challenges', 'flow_state', 'shown_proofs'] as const;
  for (const table of tables)
    await db.query(`delete from auth.${table} where expires_at < $1::timestamptz - interval '1 hour'`, [clock()]);
}
