import type { Transaction } from '#server/db/database.ts';
import { recordEvent } from '../core/audit-log.ts';
import { deleteSignUpAttempts, readSignUpAttempt } from './sign-up-attempts.ts';
import type { UserRow } from './users.ts';

/** What confirms a contact. `attemptId`: the sign-up attempt of the code; `kind`: the kind of the code, for the audit log. */
type Confirmation = {
  readonly what: 'email' | 'phone';
  readonly attemptId: string | null;
  readonly kind: string;
  readonly at: Date;
  readonly ip: string;
};

/**
 * Confirms the email or phone of an account; does nothing when it is confirmed already.
 * The password typed at a sign-up counts only with the code of that sign-up. Otherwise, or when sign-ups from several addresses compete,
 * the account starts without a password and its owner sets one.
 */
export async function confirmContact(tx: Transaction, user: UserRow, confirmation: Confirmation): Promise<void> {
  const { what, attemptId, kind, at, ip } = confirmation;
  if (user[`${what}_confirmed_at`] !== null) return;
  if (user.email_confirmed_at === null && user.phone_confirmed_at === null && !user.is_anonymous)
    await applySignUpAttempt(tx, user.id, attemptId);
  await tx.query(`update auth.users set ${what}_confirmed_at = $2::timestamptz where id = $1::uuid`, [user.id, at]);
  await recordEvent(tx, { action: 'user_confirmed', actorId: user.id, at, ip, details: { kind } });
}

/** Gives the account the password and data of an attempt, and deletes all its attempts. Without an attempt it gets no password. */
async function applySignUpAttempt(tx: Transaction, userId: string, attemptId: string | null): Promise<void> {
  const attempt = attemptId === null ? null : await readSignUpAttempt(tx, { userId, attemptId });
  // First, because the profile copies this data only while the account is unconfirmed.
  if (attempt)
    await tx.query('update auth.users set raw_user_meta_data = $2::jsonb where id = $1::uuid', [userId, attempt.data]);
  await tx.query('update auth.users set encrypted_password = $2 where id = $1::uuid', [
    userId,
    attempt?.passwordHash ?? null,
  ]);
  await deleteSignUpAttempts(tx, userId);
}
