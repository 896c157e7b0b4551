import type { Queryable } from '#server/db/database.ts';

/** Tables whose rows have `expires_at`: challenges, unfinished sign-ins at providers, used proofs of the replay guard, and replaced addresses. */
const TABLES = ['mfa_challenges', 'webauthn_challenges', 'flow_state', 'used_proofs', 'replaced_emails'] as const;

/** Deletes rows an hour after they expire, codes after a day. */
export async function deleteExpired(db: Queryable, now: Date): Promise<void> {
  await db.query(`delete from auth.one_time_tokens where expires_at < $1::timestamptz - interval '1 day'`, [now]);
  for (const table of TABLES)
    await db.query(`delete from auth.${table} where expires_at < $1::timestamptz - interval '1 hour'`, [now]);
}
