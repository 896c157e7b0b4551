import { randomUUID } from 'node:crypto';
import type { Transaction } from '#server/db/database.ts';
import { checkMetadata } from '../accounts/metadata.ts';
import { addSignUpAttempt } from '../accounts/sign-up-attempts.ts';
import { toUser } from '../accounts/user-object.ts';
import { type UserRow, userById } from '../accounts/users.ts';
import { recordEvent } from '../core/audit-log.ts';
import { refuse } from '../core/errors.ts';
import { type Call, readBody, requireServiceRole } from '../core/request.ts';
import { refuseTaken } from './refuse-taken.ts';
import { type Contacts, readBan, readContacts, readPassword, type UserForm, userForm } from './user-form.ts';
import type { AuthContext } from '../core/context.ts';

/** `POST /admin/users`: creates an account without sending a mail. */
export async function createUser(context: AuthContext, c: Call): Promise<Response> {
  const { db, clock } = context;
  await requireServiceRole(context, c);
  const form = await readBody(c, userForm);
  const contacts = readContacts(form);
  if (contacts.email === null && contacts.phone === null)
    throw refuse.validation('Cannot create a user without either an email or phone');
  checkMetadata(form.user_metadata ?? {});
  const now = clock();
  const bannedUntil = readBan(form.ban_duration, now) ?? null;
  const hash = await readPassword(context, form);
  const account = { form, contacts, hash, bannedUntil, now, ip: c.var.ip };
  const user = await db.transaction((tx) => insertUser(tx, account)).catch(refuseTaken);
  if (!user) throw new Error('a new account cannot be read back');
  return c.json(toUser(user));
}

type NewAccount = {
  readonly form: UserForm;
  readonly contacts: Contacts;
  readonly hash: string | null;
  readonly bannedUntil: Date | null;
  readonly now: Date;
  readonly ip: string;
};

async function insertUser(tx: Transaction, account: NewAccount): Promise<UserRow | null> {
  const { form, contacts, hash, bannedUntil, now, ip } = account;
  const { email, phone } = contacts;
  const emailConfirmed = email !== null && form.email_confirm === true;
  const phoneConfirmed = phone !== null && form.phone_confirm === true;
  const confirmed = emailConfirmed || phoneConfirmed;
  const providers = [...(email === null ? [] : ['email']), ...(phone === null ? [] : ['phone'])];
  const data = form.user_metadata ?? {};
  const id = form.id ?? randomUUID();
  await tx.query(
    `insert into auth.users (id, email, phone, encrypted_password, email_confirmed_at, phone_confirmed_at, raw_user_meta_data,
       raw_app_meta_data, banned_until, created_at)
     values ($1::uuid, $2, $3, $4, $5::timestamptz, $6::timestamptz, $7::jsonb, $8::jsonb, $9::timestamptz, $10::timestamptz)`,
    [
      id,
      email,
      phone,
      confirmed ? hash : null,
      emailConfirmed ? now : null,
      phoneConfirmed ? now : null,
      data,
      { ...form.app_metadata, provider: providers[0], providers },
      bannedUntil,
      now,
    ],
  );
  // As after a sign-up, the password of an unconfirmed account takes effect only with its code.
  if (!confirmed && hash !== null)
    await addSignUpAttempt(tx, { userId: id, passwordHash: hash, data, ip: 'service', at: now });
  await recordEvent(tx, { action: 'user_signedup', actorId: id, at: now, ip, details: { by: 'service' } });
  return userById(tx, id);
}
