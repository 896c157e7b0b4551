import type { Transaction } from '#server/db/database.ts';
import type { UserRow } from '../accounts/users.ts';
import { endMessages } from './message-queue.ts';
import { MESSAGE_KINDS, type MessageKind } from './messages.ts';
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
  const kept: readonly MessageKind[] = ['password_changed', 'account_exists', ...keep];
  await endMessages(
    tx,
    user,
    MESSAGE_KINDS.filter((kind) => !kept.includes(kind)),
  );
  // Delete tokens twice. A message being sent may have activated its code before its job was deleted.
  // The first delete keeps the lock order of code use (token, then message), which avoids deadlocks.
  await endTokens();
}
