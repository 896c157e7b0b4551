import type { Transaction } from '#server/db/database.ts';
import { record } from '../core/audit-log.ts';
import type { UserRow } from './users.ts';

type Attempt = { encrypted_password: string | null; data: Record<string, unknown>; ip: string };

/**
 * Confirms the email or phone of an account; does nothing when it is confirmed already.
 * The password typed at a sign-up counts only with the code of that sign-up. Otherwise, or when sign-ups from several addresses compete,
 * the account starts without a password and its owner sets one.
 */
export async function confirm(
  tx: Transaction,
  user: UserRow,
  proof: { what: 'email' | 'phone'; attemptId: string | null; kind: string; at: Date; ip: string },
): Promise<void> {
  const { what, attemptId, kind, at, ip } = proof;
  if ((what === 'email' ? user.email_confirmed_at : user.phone_confirmed_at) !== null) return;
  if (user.email_confirmed_at === null && user.phone_confirmed_at === null && !user.is_anonymous) {
    const attempt = attemptId === null ? null : await ownAttempt(tx, user.id, attemptId);
    // First, because the profile copies this data only while the account is unconfirmed.
    if (attempt)
      await tx.query('update auth.users set raw_user_meta_data = $2::jsonb where id = $1::uuid', [
        user.id,
        attempt.data,
      ]);
    await tx.query('update auth.users set encrypted_password = $2 where id = $1::uuid', [
      user.id,
      attempt?.encrypted_password ?? null,
    ]);
    await tx.query('delete from auth.signup_attempts where user_id = $1::uuid', [user.id]);
  }
  await tx.query(
    what === 'email'
      ? 'update auth.users set email_confirmed_at = $2::timestamptz where id = $1::uuid'
      : 'update auth.users set phone_confirmed_at = $2::timestamptz where id = $1::uuid',
    [user.id, at],
  );
  await record(tx, { action: 'user_confirmed', actorId: user.id, at, ip, details: { kind } });
}

/** Returns the attempt; without its password if somebody at another address tried to sign up for the account too. */
async function ownAttempt(tx: Transaction, userId: string, attemptId: string): Promise<Attempt | null> {
  const attempt = await tx.one<Attempt>(
    'select encrypted_password, data, ip from auth.signup_attempts where id = $1::uuid and user_id = $2::uuid',
    [attemptId, userId],
  );
  if (!attempt) return null;
  const contested = await tx.one('select 1 from auth.signup_attempts where user_id = $1::uuid and ip <> $2 limit 1', [
    userId,
    attempt.ip,
  ]);
  return contested ? { ...attempt, encrypted_password: null } : attempt;
}
