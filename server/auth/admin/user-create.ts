import { randomUUID } from 'node:crypto';
import { DatabaseError, type Transaction } from '#server/db/database.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { type Handler, readBody, requireServiceRole } from '../core/request.ts';
import { record } from '../core/audit-log.ts';
import { hashPassword } from '../accounts/passwords.ts';
import { checkMetadata, toUser, type UserRow, userById } from '../accounts/users.ts';
import { readBan, readHash, readContacts, type UserForm, userForm } from './user-form.ts';

/** Turns a unique violation into the API's error for a taken email or phone; rethrows any other error. */
export function alreadyRegistered(error: unknown): never {
  if (error instanceof DatabaseError && error.code === '23505') {
    if (error.constraint === 'users_phone')
      throw new AuthRefusal(422, 'phone_exists', 'A user with this phone number has already been registered');
    throw new AuthRefusal(422, 'email_exists', 'A user with this email address has already been registered');
  }
  throw error;
}

/** `POST /admin/users`: creates an account without sending a mail. */
export function createAdminUserCreate(context: AuthContext): Handler {
  const { db, checkPassword, clock, readCaller } = context;

  async function hashOf(form: UserForm): Promise<string | null> {
    if (form.password && form.password_hash)
      throw refuse.validation('Only a password or a password hash should be provided');
    if (form.password_hash) return readHash(form.password_hash);
    if (!form.password) return null;
    checkPassword(form.password);
    return hashPassword(form.password);
  }

  async function write(tx: Transaction, form: UserForm, hash: string | null, ip: string): Promise<UserRow | null> {
    const now = clock();
    const { email, phone } = readContacts(form);
    const providers = [...(email === null ? [] : ['email']), ...(phone === null ? [] : ['phone'])];
    const id = form.id ?? randomUUID();
    const confirmed =
      (email !== null && form.email_confirm === true) || (phone !== null && form.phone_confirm === true);
    await tx.query(
      `insert into auth.users (id, email, phone, encrypted_password, email_confirmed_at, phone_confirmed_at, raw_user_meta_data,
         raw_app_meta_data, banned_until, created_at)
       values ($1::uuid, $2, $3, $4, $5::timestamptz, $6::timestamptz, $7::jsonb, $8::jsonb, $9::timestamptz, $10::timestamptz)`,
      [
        id,
        email,
        phone,
        confirmed ? hash : null,
        email !== null && form.email_confirm === true ? now : null,
        phone !== null && form.phone_confirm === true ? now : null,
        form.user_metadata ?? {},
        { ...form.app_metadata, provider: providers[0], providers },
        readBan(form.ban_duration, now) ?? null,
        now,
      ],
    );
    // As after a sign-up, the password of an unconfirmed account counts only with its code.
    if (!confirmed && hash !== null)
      await tx.query(
        `insert into auth.signup_attempts (id, user_id, encrypted_password, data, ip, created_at) values ($1::uuid, $2::uuid, $3, $4::jsonb, 'service', $5::timestamptz)`,
        [randomUUID(), id, hash, form.user_metadata ?? {}, now],
      );
    await record(tx, { action: 'user_signedup', actorId: id, at: now, ip, details: { by: 'service' } });
    return userById(tx, id);
  }

  return async (c) => {
    await requireServiceRole(c, readCaller);
    const form = await readBody(c, userForm);
    const { email, phone } = readContacts(form);
    if (email === null && phone === null)
      throw refuse.validation('Cannot create a user without either an email or phone');
    checkMetadata(form.user_metadata ?? {});
    readBan(form.ban_duration, clock());
    const hash = await hashOf(form);
    const user = await db.transaction((tx) => write(tx, form, hash, c.var.ip)).catch(alreadyRegistered);
    if (!user) throw new Error('a new account cannot be read back');
    return c.json(toUser(user));
  };
}
