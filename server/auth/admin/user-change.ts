import type { Transaction } from '#server/db/database.ts';
import { checkMetadata, withoutNulls } from '../accounts/metadata.ts';
import { readPathUser } from '../accounts/path-user.ts';
import { toUser } from '../accounts/user-object.ts';
import { type UserRow, userById } from '../accounts/users.ts';
import { revokeTokens } from '../codes/revoke-tokens.ts';
import { recordEvent } from '../core/audit-log.ts';
import { refuse } from '../core/errors.ts';
import { type Call, readBody, requireServiceRole } from '../core/request.ts';
import { endAllSessions } from '../sessions/end.ts';
import { refuseTaken } from './refuse-taken.ts';
import { readBan, readContacts, readPassword, type UserForm, userForm } from './user-form.ts';
import type { AuthContext } from '../core/context.ts';

/** `GET /admin/users/{id}`. */
export async function getUser(context: AuthContext, c: Call): Promise<Response> {
  await requireServiceRole(context, c);
  return c.json(toUser(await readPathUser(context, c)));
}

/** `PUT /admin/users/{id}`: changes an account immediately, without a code. A new password or a ban ends all its sessions. */
export async function changeUser(context: AuthContext, c: Call): Promise<Response> {
  const { db, clock, sessions } = context;
  await requireServiceRole(context, c);
  const user = await readPathUser(context, c);
  const form = await readBody(c, userForm);
  readContacts(form);
  const hash = await readPassword(context, form);
  const endsSessions = hash !== null || (form.ban_duration && form.ban_duration !== 'none');
  const { changed, ended } = await db
    .transaction(async (tx) => {
      await writeChanges(tx, user, form, hash, clock());
      const endedIds = endsSessions ? await endAllSessions(tx, user.id) : [];
      const details = { by: 'service', fields: Object.keys(form) };
      await recordEvent(tx, { action: 'user_modified', actorId: user.id, at: clock(), ip: c.var.ip, details });
      return { changed: await userById(tx, user.id), ended: endedIds };
    })
    .catch(refuseTaken);
  sessions.forget(ended);
  if (!changed) throw refuse.noSession();
  return c.json(toUser(changed));
}

async function writeChanges(
  tx: Transaction,
  user: UserRow,
  form: UserForm,
  hash: string | null,
  now: Date,
): Promise<void> {
  const { email, phone } = readContacts(form);
  const ban = readBan(form.ban_duration, now);
  const providers = getProviders(user, email, phone);
  const appData = withoutNulls({ ...user.raw_app_meta_data, ...form.app_metadata, provider: providers[0], providers });
  const userData = withoutNulls({ ...user.raw_user_meta_data, ...form.user_metadata });
  checkMetadata(form.user_metadata ?? {}, user.raw_user_meta_data);
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
      userData,
      appData,
      ban !== undefined,
      ban ?? null,
    ],
  );
  if (hash !== null || (email !== null && email !== user.email)) await revokeTokens(tx, user);
}

function getProviders(user: UserRow, email: string | null, phone: string | null): string[] {
  const current = user.raw_app_meta_data['providers'];
  const names = Array.isArray(current) ? current.filter((name) => typeof name === 'string') : [];
  return [...new Set([...names, ...(email === null ? [] : ['email']), ...(phone === null ? [] : ['phone'])])];
}
