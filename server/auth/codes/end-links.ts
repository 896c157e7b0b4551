import type { Transaction } from '#server/db/database.ts';
import type { UserRow } from '../accounts/users.ts';

/** Ends every link and code that was sent to a person, and drops those that still wait to be sent. For a new password or address. */
export async function endLinks(tx: Transaction, user: Pick<UserRow, 'id' | 'email' | 'phone'>): Promise<void> {
  await tx.query('delete from auth.one_time_tokens where user_id = $1::uuid', [user.id]);
  await tx.query(
    `delete from auth.message_queue
     where (user_id = $1::uuid or email = $2 or phone = $3) and kind not in ('password_changed', 'account_exists')`,
    [user.id, user.email, user.phone],
  );
}
