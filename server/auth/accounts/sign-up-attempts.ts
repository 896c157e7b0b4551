import { randomUUID } from 'node:crypto';
import type { Transaction, Queryable } from '#server/db/database.ts';
import { contactColumns, type Contact } from '../core/contact.ts';

/** One sign-up for an unconfirmed account. Its password and data take effect only with the code of this sign-up. */
type SignUpAttempt = {
  readonly userId: string;
  readonly passwordHash: string | null;
  readonly data: Record<string, unknown>;
  /** The client's IP address, or `service` or `import` for accounts that were not created by a sign-up. */
  readonly ip: string;
  readonly at: Date;
};

/** Stores an attempt and returns its id. */
export async function addSignUpAttempt(tx: Transaction, attempt: SignUpAttempt): Promise<string> {
  const id = randomUUID();
  await tx.query(
    `insert into auth.signup_attempts (id, user_id, encrypted_password, data, ip, created_at)
     values ($1::uuid, $2::uuid, $3, $4::jsonb, $5, $6::timestamptz)`,
    [id, attempt.userId, attempt.passwordHash, attempt.data, attempt.ip, attempt.at],
  );
  return id;
}

/** Returns the id of the newest attempt for an email or phone. */
export async function newestSignUpAttempt(db: Queryable, contact: Contact): Promise<string | null> {
  const { email, phone } = contactColumns(contact);
  const row = await db.queryRow<{ id: string }>(
    `select a.id from auth.signup_attempts a join auth.users u on u.id = a.user_id
     where (u.email = $1 or u.phone = $2) and u.deleted_at is null order by a.created_at desc limit 1`,
    [email, phone],
  );
  return row?.id ?? null;
}

/**
 * Returns an attempt, or null if it does not exist. Omits the password if a client at another IP address also signed up for the account.
 */
export async function readSignUpAttempt(
  tx: Transaction,
  of: { userId: string; attemptId: string },
): Promise<Pick<SignUpAttempt, 'passwordHash' | 'data'> | null> {
  const attempt = await tx.queryRow<{ encrypted_password: string | null; data: Record<string, unknown>; ip: string }>(
    'select encrypted_password, data, ip from auth.signup_attempts where id = $1::uuid and user_id = $2::uuid',
    [of.attemptId, of.userId],
  );
  if (!attempt) return null;
  const contested = await tx.queryRow(
    'select 1 from auth.signup_attempts where user_id = $1::uuid and ip <> $2 limit 1',
    [of.userId, attempt.ip],
  );
  return { passwordHash: contested ? null : attempt.encrypted_password, data: attempt.data };
}

export async function deleteSignUpAttempts(tx: Transaction, userId: string): Promise<void> {
  await tx.query('delete from auth.signup_attempts where user_id = $1::uuid', [userId]);
}
