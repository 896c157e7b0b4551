import { z } from 'zod';
import type { Transaction } from '#server/db/database.ts';
import { authLimits } from '../auth-config.ts';
import type { AuthParts } from '../auth-parts.ts';
import { AuthRefusal, refuse } from '../errors.ts';
import { takeMail } from '../codes/mail-limits.ts';
import { checkPassword, hashPassword, passwordFits } from '../accounts/passwords.ts';
import { type Operation, type Person, readAddress, readBody, readPerson } from '../request.ts';
import { record } from '../trail.ts';
import { checkMetadata, toUser, type UserRow, userById } from '../accounts/users.ts';

const schema = z.object({
  email: z.string().nullish(),
  phone: z.string().nullish(),
  password: z.string().max(1_024).nullish(),
  current_password: z.string().max(1_024).nullish(),
  data: z.record(z.string(), z.unknown()).nullish(),
});

/** A session this young may change password and address without the old password (decisions T-16). */
const FRESH_SECONDS = 600;

/** `PUT /user`: password (ends the other sessions), address (mails a code to the new one), metadata (never grants anything). */
export function createUserUpdate(parts: AuthParts): Operation {
  const { db, clock, config, limits, queue, readCaller, sessions } = parts;

  async function proveIdentity(user: UserRow, sessionId: string, currentPassword: string | null): Promise<void> {
    const session = await db.one<{ created_at: Date }>('select created_at from auth.sessions where id = $1::uuid', [
      sessionId,
    ]);
    if (session && clock().getTime() - session.created_at.getTime() <= FRESH_SECONDS * 1000) return;
    if (currentPassword === null)
      throw new AuthRefusal(400, 'current_password_required', 'Please enter your current password.');
    const wait = await limits(authLimits.password, `user:${user.id}`);
    if (wait !== null) throw refuse.rate(wait);
    if (!(await passwordFits(user.encrypted_password, currentPassword)))
      throw new AuthRefusal(400, 'current_password_invalid', 'Your current password is not right.');
  }

  async function newHash(user: UserRow, password: string): Promise<string> {
    checkPassword(password, config.passwordMinLength);
    if (await passwordFits(user.encrypted_password, password))
      throw new AuthRefusal(422, 'same_password', 'New password should be different from the old password.');
    return hashPassword(password);
  }

  async function setPassword(tx: Transaction, user: UserRow, person: Person, hash: string, ip: string) {
    await tx.query(`update auth.users set encrypted_password = $2 where id = $1::uuid`, [user.id, hash]);
    await tx.query(`delete from auth.one_time_tokens where user_id = $1::uuid and kind = 'recovery'`, [user.id]);
    await queue.add(tx, { kind: 'password_changed', email: user.email, userId: user.id });
    await record(tx, { action: 'user_updated_password', actorId: user.id, at: clock(), ip });
    return sessions.end(tx, person, 'others', ip);
  }

  async function askForAddress(tx: Transaction, user: UserRow, email: string, ip: string): Promise<void> {
    const now = clock();
    await tx.query(
      `update auth.users set email_change = $2, email_change_sent_at = $3::timestamptz where id = $1::uuid`,
      [user.id, email, now],
    );
    await queue.add(tx, { kind: 'email_change', email, userId: user.id });
    await record(tx, { action: 'user_email_change_requested', actorId: user.id, at: now, ip });
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

  return async (c) => {
    const person = await readPerson(c, readCaller);
    const body = await readBody(c, schema);
    const { ip } = c.var;
    const user = await userById(db, person.userId);
    if (!user) throw refuse.noSession();
    if (body.phone) throw refuse.disabled(400, 'phone_provider_disabled', 'Phone logins are disabled');
    if (body.data) checkMetadata({ ...user.raw_user_meta_data, ...body.data });
    const address = body.email ? readAddress(body.email) : user.email;
    const password = body.password ?? null;
    if (password !== null || address !== user.email)
      await proveIdentity(user, person.sessionId, body.current_password ?? null);
    const hash = password === null ? null : await newHash(user, password);
    if (address !== user.email) await takeMail(parts, { email: address, ip });

    const { changed, ended } = await db.transaction(async (tx) => {
      const gone = hash === null ? [] : await setPassword(tx, user, person, hash, ip);
      if (address !== user.email) await askForAddress(tx, user, address, ip);
      if (body.data) await setData(tx, user, body.data, ip);
      return { changed: await userById(tx, user.id), ended: gone };
    });
    if (!changed) throw refuse.noSession();
    sessions.forget(ended);
    queue.soon();
    return c.json(toUser(changed));
  };
}
