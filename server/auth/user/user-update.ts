import { z } from 'zod';
import type { Transaction } from '#server/db/database.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { endLinks } from '../codes/end-links.ts';
import { takeMessage } from '../codes/message-limits.ts';
import { hashPassword, passwordFits } from '../accounts/passwords.ts';
import { type Handler, type Person, readAddress, readBody, readPerson, readPhone } from '../core/request.ts';
import { record } from '../core/audit-log.ts';
import { checkMetadata, toUser, type UserRow, userById } from '../accounts/users.ts';
import { changeNeedsBoth } from '../verify/apply-change.ts';
import { createProveIdentity } from './prove-identity.ts';

const schema = z.object({
  email: z.string().nullish(),
  phone: z.string().nullish(),
  password: z.string().max(1_024).nullish(),
  current_password: z.string().max(1_024).nullish(),
  nonce: z.string().max(64).nullish(),
  data: z.record(z.string(), z.unknown()).nullish(),
});
type Changes = {
  hash: string | null;
  email: string | null;
  phone: string | null;
  data: Record<string, unknown> | null;
  ip: string;
};

/** `PUT /user`: changes password (ends other sessions), email and phone (sends a code to the new one), and metadata (grants no rights). */
export function createUserUpdate(context: AuthContext): Handler {
  const { db, checkPassword, clock, config, queue, readCaller, sessions } = context;
  const proveIdentity = createProveIdentity(context);

  async function newHash(user: UserRow, password: string): Promise<string> {
    checkPassword(password);
    if (await passwordFits(user.encrypted_password, password))
      throw new AuthRefusal(422, 'same_password', 'New password should be different from the old password.');
    return hashPassword(password);
  }

  async function setPassword(tx: Transaction, user: UserRow, person: Person, hash: string, ip: string) {
    await tx.query(`update auth.users set encrypted_password = $2 where id = $1::uuid`, [user.id, hash]);
    // An attacker may have requested a link or code before: end them all, sent or queued.
    await endLinks(tx, user);
    if (user.email !== null) await queue.add(tx, { kind: 'password_changed', email: user.email, userId: user.id });
    await record(tx, { action: 'user_updated_password', actorId: user.id, at: clock(), ip });
    return sessions.end(tx, person, 'others', ip);
  }

  async function requestEmailChange(tx: Transaction, user: UserRow, email: string, ip: string): Promise<void> {
    const now = clock();
    const both = config.doubleConfirm && user.email !== null && user.email_confirmed_at !== null;
    await tx.query(
      `update auth.users set email_change = $2, email_change_sent_at = $3::timestamptz, email_change_confirm_status = $4::int where id = $1::uuid`,
      [user.id, email, now, both ? changeNeedsBoth : 0],
    );
    await tx.query(
      `delete from auth.one_time_tokens where user_id = $1::uuid and kind in ('email_change', 'email_change_current')`,
      [user.id],
    );
    await queue.add(tx, { kind: 'email_change', email, userId: user.id });
    if (both) await queue.add(tx, { kind: 'email_change_current', email: user.email ?? '', userId: user.id });
    await record(tx, { action: 'user_email_change_requested', actorId: user.id, at: now, ip });
  }

  async function requestPhoneChange(tx: Transaction, user: UserRow, phone: string, ip: string): Promise<void> {
    const now = clock();
    await tx.query(
      `update auth.users set phone_change = $2, phone_change_sent_at = $3::timestamptz where id = $1::uuid`,
      [user.id, phone, now],
    );
    await queue.add(tx, { kind: 'phone_change', phone, userId: user.id });
    await record(tx, { action: 'user_phone_change_requested', actorId: user.id, at: now, ip });
  }

  async function setData(tx: Transaction, user: UserRow, data: Record<string, unknown>, ip: string): Promise<void> {
    // As upstream: keys are merged, and null removes one.
    const removed = Object.keys(data).filter((name) => data[name] === null);
    await tx.query(
      `update auth.users set raw_user_meta_data = (raw_user_meta_data || $2::jsonb) - $3::text[] where id = $1::uuid`,
      [user.id, data, removed],
    );
    await record(tx, { action: 'user_modified', actorId: user.id, at: clock(), ip });
  }

  async function write(user: UserRow, person: Person, changes: Changes): Promise<UserRow | null> {
    const { changed, ended } = await db.transaction(async (tx) => {
      const { hash, email, phone, data, ip } = changes;
      const endedIds = hash === null ? [] : await setPassword(tx, user, person, hash, ip);
      if (email !== null) await requestEmailChange(tx, user, email, ip);
      if (phone !== null) await requestPhoneChange(tx, user, phone, ip);
      if (data !== null) await setData(tx, user, data, ip);
      return { changed: await userById(tx, user.id), ended: endedIds };
    });
    sessions.forget(ended);
    queue.soon();
    return changed;
  }

  return async (c) => {
    const person = await readPerson(c, readCaller);
    const body = await readBody(c, schema);
    const { ip } = c.var;
    const user = await userById(db, person.userId);
    if (!user) throw refuse.noSession();
    if (body.phone && !config.phoneEnabled) throw refuse.phoneDisabled('Phone logins are disabled');
    if (body.data) checkMetadata({ ...user.raw_user_meta_data, ...body.data });
    const address = body.email ? readAddress(body.email) : user.email;
    const phone = body.phone ? readPhone(body.phone) : user.phone;
    const [newAddress, newPhone] = [address !== user.email, phone !== user.phone];
    const password = body.password ?? null;
    if (password !== null && user.is_anonymous && !newAddress && !newPhone)
      throw refuse.disabled(
        422,
        'validation_failed',
        'Updating password of an anonymous user without an email or phone is not allowed',
      );
    if (password !== null || newAddress || newPhone)
      await proveIdentity(user, person.sessionId, {
        currentPassword: body.current_password ?? null,
        nonce: body.nonce ?? null,
      });
    const hash = password === null ? null : await newHash(user, password);
    if (newAddress) await takeMessage(context, { email: address ?? '', kind: 'email_change', ip });
    if (newPhone) await takeMessage(context, { phone: phone ?? '', kind: 'phone_change', ip });
    const changed = await write(user, person, {
      hash,
      email: newAddress ? address : null,
      phone: newPhone ? phone : null,
      data: body.data ?? null,
      ip,
    });
    if (!changed) throw refuse.noSession();
    return c.json(toUser(changed));
  };
}
