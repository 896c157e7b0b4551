import type { Transaction } from '#server/db/database.ts';
import type { UserRow } from '../accounts/users.ts';
import type { TokenKind } from './one-time-tokens.ts';

/** Ends all links and codes of a person, sent or queued. Call it for a new password or address. `keep`: kinds that stay valid. */
export async function endLinks(
  tx: Transaction,
  user: Pick<UserRow, 'id' | 'email' | 'phone'>,
  keep: readonly TokenKind[] = [],
): Promise<void> {
  const endTokens = () =>
    tx.query('delete from auth.one_time_tokens where user_id = $1::uuid and kind <> all($2::text[])', [user.id, keep]);
  await endTokens();
  await tx.query(
    `delete from auth.message_queue
     where (user_id = $1::uuid or email = $2 or phone = $3) and kind <> all($4::text[])`,
    [user.id, user.email, user.phone, ['password_changed', 'account_exists', ...keep]],
  );
  // Delete tokens twice. A message being sent may have activated its code before its row was deleted.
  // The first delete keeps the lock order of code use (token, then message), which avoids deadlocks.
  await endTokens();
}
