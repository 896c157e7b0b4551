import type { Transaction } from '#server/db/database.ts';
import { hashPassword } from '../accounts/passwords.ts';
import { userById } from '../accounts/users.ts';
import { recordEvent } from '../core/audit-log.ts';
import { contactColumn, contactColumns } from '../core/contact.ts';
import { AuthRefusal } from '../core/errors.ts';
import type { RequestInfo } from '../core/request.ts';
import { beginSessionIn } from '../sessions/begin.ts';
import type { SessionResponse } from '../sessions/session-response.ts';
import type { SignUpForm } from './sign-up-by-code.ts';
import type { AuthContext } from '../core/context.ts';

/** Creates a confirmed account and its session immediately. The error for a taken email or phone states that it is taken. */
export async function signUpAutoconfirmed(
  context: AuthContext,
  form: SignUpForm,
  request: RequestInfo,
): Promise<SessionResponse> {
  const { clock, db } = context;
  const hash = await hashPassword(form.password);
  const at = clock();
  const begun = await db.transaction(async (tx) => {
    const id = await insertConfirmed(tx, form, hash, at);
    const user = id === null ? null : await userById(tx, id);
    if (!user) throw new AuthRefusal(422, 'user_already_exists', 'User already registered');
    await recordEvent(tx, { action: 'user_signedup', actorId: user.id, at, ip: request.ip });
    return beginSessionIn(context, tx, user, 'password', request);
  });
  return begun.response;
}

/** Returns the id of the new account, or null if the email or phone is taken or reserved. */
async function insertConfirmed(tx: Transaction, form: SignUpForm, hash: string, at: Date): Promise<string | null> {
  const { column, value } = contactColumn(form.contact);
  const row = await tx.queryRow<{ id: string }>(
    `insert into auth.users (${column}, encrypted_password, raw_user_meta_data, ${column}_confirmed_at, raw_app_meta_data, created_at)
     select $1, $2, $3::jsonb, $4::timestamptz, $5::jsonb, $4::timestamptz where not private.is_email_reserved($6, null, $4::timestamptz)
     on conflict (${column}) where deleted_at is null do nothing returning id`,
    [value, hash, form.data, at, { provider: column, providers: [column] }, contactColumns(form.contact).email],
  );
  return row?.id ?? null;
}
