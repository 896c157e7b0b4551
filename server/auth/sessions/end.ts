import type { Transaction } from '#server/db/database.ts';
import { recordEvent } from '../core/audit-log.ts';
import type { SignedInUser } from '../core/request.ts';
import type { AuthContext } from '../core/context.ts';

export type SignOutScope = 'global' | 'local' | 'others';

/**
 * Ends sessions in a transaction and returns their ids. Drop them from the cache after the commit, so that this process refuses them
 * immediately.
 */
export async function endSessions(
  { clock }: AuthContext,
  tx: Transaction,
  { userId, sessionId }: SignedInUser,
  scope: SignOutScope,
  ip: string,
): Promise<readonly string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `delete from auth.sessions where user_id = $1::uuid
       and (case $3 when 'local' then id = $2::uuid when 'others' then id <> $2::uuid else true end) returning id`,
    [userId, sessionId, scope],
  );
  await recordEvent(tx, { action: 'logout', actorId: userId, at: clock(), ip, details: { scope } });
  return rows.map((row) => row.id);
}

/**
 * Ends all sessions of an account, or those without a second factor, and returns their ids. The caller writes the reason to the audit log
 * in the same transaction.
 */
export async function endAllSessions(
  tx: Transaction,
  userId: string,
  which: 'all' | 'aal1' = 'all',
): Promise<readonly string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `delete from auth.sessions where user_id = $1::uuid and ($2 = 'all' or aal = $2) returning id`,
    [userId, which],
  );
  return rows.map((row) => row.id);
}
