import type { Transaction } from '#server/db/database.ts';
import { recordEvent } from '../core/audit-log.ts';
import { deleteSignUpAttempts, readSignUpAttempt } from './sign-up-attempts.ts';
import type { UserRow } from './users.ts';

/** The code that confirms a contact. `attemptId`: its sign-up attempt. `kind`: its kind, for the audit log. */
type Confirmation = {
  readonly what: 'email' | 'phone';
  readonly attemptId: string | null;
  readonly kind: string;
  readonly at: Date;
  readonly ip: string;
};

/**
 * Confirms the email or phone of an account; does nothing if it is confirmed already. A password entered at a sign-up takes effect only
 * with the code of that sign-up. With another code, or if clients at several IP addresses signed up for the account, it starts without a
 * password and its owner sets one.
 */
export async function confirmContact(tx: Transaction, user: UserRow, confirmation: Confirmation): Promise<void> {
  const { what, attemptId, kind, at, ip } = confirmation;
  if (user[`${what}_confirmed_at`] !== null) return;
  if (user.email_confirmed_at === null && user.phone_confirmed_at === null && !user.is_anonymous)
    await applySignUpAttempt(tx, user.id, attemptId);
  await tx.query(`update auth.users set ${what}_confirmed_at = $2::timestamptz where id = $1::uuid`, [user.id, at]);
  await recordEvent(tx, { action: 'user_confirmed', actorId: user.id, at, ip, details: { kind } });
}

/**
 * Gives the account the password and data of an attempt, and deletes all its attempts. Without an attempt, the account gets no password.
 */
async function applySignUpAttempt(tx: Transaction, userId: string, attemptId: string | null): Promise<void> {
  const attempt = attemptId === null ? null : await readSignUpAttempt(tx, { userId, attemptId });
  // This comes first, because the profile copies the data only while the account is unconfirmed.
  if (attempt)
    await tx.query('update auth.users set raw_user_meta_data = $2::jsonb where id = $1::uuid', [userId, attempt.data]);
  await tx.query('update auth.users set encrypted_password = $2 where id = $1::uuid', [
    userId,
    attempt?.passwordHash ?? null,
  ]);
  await deleteSignUpAttempts(tx, userId);
}
