import type { Transaction } from '#server/db/database.ts';
import type { AuthContext } from '../core/context.ts';
import { refuse } from '../core/errors.ts';
import { readSubject } from '../factors/admin-factors.ts';
import { type Handler, readBody, requireServiceRole } from '../core/request.ts';
import { record } from '../core/audit-log.ts';
import { hashPassword } from '../accounts/passwords.ts';
import { endLinks } from '../codes/end-links.ts';
import { checkMetadata, toUser, type UserRow, userById } from '../accounts/users.ts';
import { alreadyRegistered } from './user-create.ts';
import { readBan, readHash, readContacts, type UserForm, userForm } from './user-form.ts';

/** `GET /admin/users/{id}`. */
export function createAdminUserGet(context: AuthContext): Handler {
  return async (c) => {
    await requireServiceRole(c, context.readCaller);
    return c.json(toUser(await readSubject(context, c.req.param('user'))));
  };
}

/** `PUT /admin/users/{id}`: changes an account at once, without a code. A new password or a ban ends all its sessions. */
export function createAdminUserChange(context: AuthContext): Handler {
  const { db, checkPassword, clock, readCaller, sessions } = context;

  async function write(tx: Transaction, user: UserRow, form: UserForm, hash: string | null) {
    const now = clock();
    const { email, phone } = readContacts(form);
    const ban = readBan(form.ban_duration, now);
    const providers = providersOf(user, email, phone);
    const app = { ...user.raw_app_meta_data, ...form.app_metadata, provider: providers[0], providers };
    const data = { ...user.raw_user_meta_data, ...form.user_metadata };
    checkMetadata(withoutNulls(data));
    await tx.query(
      `update auth.users set email = coalesce($2, email), phone = coalesce($3, phone), encrypted_password = coalesce($4, encrypted_password),
         email_confirmed_at = case when $5::boolean then coalesce(email_confirmed_at, $6::timestamptz) else email_confirmed_at end,
         phone_confirmed_at = case when $7::boolean then coalesce(phone_confirmed_at, $6::timestamptz) else phone_confirmed_at end,
         raw_user_meta_data = $8::jsonb, raw_app_meta_data = $9::jsonb,
         is_anonymous = is_anonymous and $2::text is null and $3::text is null,
         banned_until = case when $10::boolean then $11::timestamptz else banned_until end
       where id = $1::uuid`,
      [
        user.id,
        email,
        phone,
        hash,
        form.email_confirm === true,
        now,
        form.phone_confirm === true,
        withoutNulls(data),
        withoutNulls(app),
        ban !== undefined,
        ban ?? null,
      ],
    );
    if (hash !== null || (email !== null && email !== user.email)) await endLinks(tx, user);
  }

  return async (c) => {
    await requireServiceRole(c, readCaller);
    const user = await readSubject(context, c.req.param('user'));
    const form = await readBody(c, userForm);
    readContacts(form);
    if (form.password && form.password_hash)
      throw refuse.validation('Only a password or a password hash should be provided');
    if (form.password) checkPassword(form.password);
    const hash = form.password
      ? await hashPassword(form.password)
      : form.password_hash
        ? readHash(form.password_hash)
        : null;
    const ends = hash !== null || (form.ban_duration && form.ban_duration !== 'none');
    const { changed, ended } = await db
      .transaction(async (tx) => {
        await write(tx, user, form, hash);
        const gone = ends ? await sessions.endAll(tx, user.id) : [];
        await record(tx, {
          action: 'user_modified',
          actorId: user.id,
          at: clock(),
          ip: c.var.ip,
          details: { by: 'service', fields: Object.keys(form) },
        });
        return { changed: await userById(tx, user.id), ended: gone };
      })
      .catch(alreadyRegistered);
    sessions.forget(ended);
    if (!changed) throw refuse.noSession();
    return c.json(toUser(changed));
  };
}

function providersOf(user: UserRow, email: string | null, phone: string | null): string[] {
  const current = user.raw_app_meta_data['providers'];
  const names = Array.isArray(current) ? current.filter((one) => typeof one === 'string') : [];
  return [...new Set([...names, ...(email === null ? [] : ['email']), ...(phone === null ? [] : ['phone'])])];
}
/** As upstream: null removes a key. */
function withoutNulls(data: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null && value !== undefined));
}
