import type { Transaction } from '#server/db/database.ts';
import type { UserRow } from '../accounts/users.ts';
import type { TokenKind } from './one-time-tokens.ts';

/**
 * Ends every link and code that was sent to a person, and drops those that still wait to be sent. For a new password or address.
 * `keep`: kinds that stay good.
 */
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
  // Once more: a message that was being sent may have made its code good before its row was deleted. Tokens come first as well, because
  // whoever uses one locks it before its message, and the other order could end in a deadlock.
  await endTokens();
}
