import type { Transaction } from '#server/db/database.ts';
import type { UserRow } from '../accounts/users.ts';
import { MESSAGE_KINDS, type MessageKind, type TokenKind } from '../core/message-queue.ts';
import { endMessages } from './message-queue.ts';

/** Notices without a code. They are sent even if all codes are revoked. */
const NOTICES: readonly MessageKind[] = [
  'account_exists',
  'password_changed',
  'account_changed',
  'email_replaced',
  'email_undone',
];

/**
 * Revokes all links and codes of a person, sent or queued, except those of the kinds in `except`. Call it for a new password or address.
 */
export async function revokeTokens(
  tx: Transaction,
  user: Pick<UserRow, 'id' | 'email' | 'phone'>,
  except: readonly TokenKind[] = [],
): Promise<void> {
  const deleteOthers = () =>
    tx.query('delete from auth.one_time_tokens where user_id = $1::uuid and kind <> all($2::text[])', [
      user.id,
      except,
    ]);
  await deleteOthers();
  const kept = [...NOTICES, ...except];
  await endMessages(
    tx,
    user,
    MESSAGE_KINDS.filter((kind) => !kept.includes(kind)),
  );
  // Tokens are deleted twice. A message that is being sent may have activated its code before its job was deleted. The first delete keeps
  // the lock order of code use (token, then message), which avoids deadlocks.
  await deleteOthers();
}

/** Deletes the sent codes of an account, either of some kinds or of all. Queued messages stay. */
export async function deleteTokens(
  tx: Transaction,
  userId: string,
  kinds: readonly TokenKind[] | null = null,
): Promise<void> {
  await tx.query(
    'delete from auth.one_time_tokens where user_id = $1::uuid and ($2::text[] is null or kind = any($2::text[]))',
    [userId, kinds],
  );
}
