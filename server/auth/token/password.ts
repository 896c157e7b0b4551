import { z } from 'zod';
import { forgetTakes } from '#server/http/limits.ts';
import { authLimits } from '../auth-config.ts';
import type { AuthParts } from '../auth-parts.ts';
import { refuse } from '../errors.ts';
import { hashPassword, needsRehash, passwordFits } from '../accounts/passwords.ts';
import { type Operation, readAddress, readBody, readFrom, readPhone, type Way } from '../request.ts';
import { record } from '../trail.ts';
import { isBanned, isConfirmed, type UserRow, userByEmail, userByPhone } from '../accounts/users.ts';

const schema = z.object({
  email: z.string().nullish(),
  phone: z.string().nullish(),
  password: z.string().max(1_024),
});

/** Whether the account has a session at this address, and the password of its newest sign-up that waits for its code. */
type Standing = { readonly known: boolean; readonly waiting: string | null };

/** `POST /token?grant_type=password`. An unknown address costs as much time as a wrong password and gets the same no. */
export function createTokenPassword(parts: AuthParts): Operation {
  const { db, clock, config, limits, sessions } = parts;

  /** What there is to know before a try; the same question whether there is an account or not. */
  async function standing(user: UserRow | null, ip: string): Promise<Standing> {
    const found = await db.one<Standing>(
      `select exists (select from auth.sessions where user_id = $1::uuid and ip = $2) as known,
              (select encrypted_password from auth.signup_attempts where user_id = $1::uuid order by created_at desc limit 1) as waiting`,
      [user?.id ?? null, ip],
    );
    return found ?? { known: false, waiting: null };
  }

  /**
   * Counts a try against the account; a device with a living session of the account counts by itself, so that guessing elsewhere
   * does not lock its owner out (promises G25).
   */
  async function takeTry(way: Way, { known }: Standing, ip: string): Promise<string> {
    const name = 'email' in way ? `mail:${way.email}` : `phone:${way.phone}`;
    const key = known ? `${name} at ${ip}` : name;
    const wait = await limits(authLimits.signInAccount, key);
    if (wait !== null) throw refuse.rate(wait);
    return key;
  }

  return async (c) => {
    const body = await readBody(c, schema);
    if (!body.email && !config.phoneEnabled) throw refuse.phoneDisabled('Phone logins are disabled');
    const way: Way = body.email ? { email: readAddress(body.email) } : { phone: readPhone(body.phone ?? '') };
    const from = readFrom(c);
    const wait = await limits(authLimits.signInIp, `ip:${from.ip}`);
    if (wait !== null) throw refuse.rate(wait);
    const user = 'email' in way ? await userByEmail(db, way.email) : await userByPhone(db, way.phone);
    const stand = await standing(user, from.ip);
    const key = await takeTry(way, stand, from.ip);
    // An account that waits for its code has what was typed last.
    const stored = user && !isConfirmed(user) ? stand.waiting : (user?.encrypted_password ?? null);
    const fits = await passwordFits(stored, body.password);
    if (!user || !fits) {
      await record(db, { action: 'login_failed', actorId: user?.id ?? null, at: clock(), ip: from.ip });
      throw refuse.credentials();
    }
    // Only wrong tries count: whoever knows the password gets the tries back.
    await forgetTakes(db, authLimits.signInAccount, key);
    if (!('email' in way ? user.email_confirmed_at : user.phone_confirmed_at))
      throw 'email' in way ? refuse.unconfirmed() : refuse.phoneUnconfirmed();
    if (isBanned(user, clock())) throw refuse.banned();
    if (user.encrypted_password && needsRehash(user.encrypted_password)) {
      await db.query(`update auth.users set encrypted_password = $2 where id = $1::uuid and encrypted_password = $3`, [
        user.id,
        await hashPassword(body.password),
        user.encrypted_password,
      ]);
    }
    return c.json(await sessions.begin(user, 'password', from));
  };
}
