import { z } from 'zod';
import { forgetTakes } from '#server/http/limits.ts';
import { authLimits } from '../auth-config.ts';
import type { AuthParts } from '../auth-parts.ts';
import { AuthRefusal, refuse } from '../errors.ts';
import { hashPassword, needsRehash, passwordFits } from '../accounts/passwords.ts';
import { type Operation, readAddress, readBody, readFrom } from '../request.ts';
import { record } from '../trail.ts';
import { type UserRow, userByEmail } from '../accounts/users.ts';

const schema = z.object({
  email: z.string().nullish(),
  phone: z.string().nullish(),
  password: z.string().max(1_024),
});

/** `POST /token?grant_type=password`. An unknown address costs as much time as a wrong password and gets the same no. */
export function createTokenPassword(parts: AuthParts): Operation {
  const { db, clock, limits, sessions } = parts;

  /**
   * Counts a try against the account; a device with a living session of the account counts by itself, so that guessing elsewhere
   * does not lock its owner out (promises G25).
   */
  async function takeTry(email: string, user: UserRow | null, ip: string): Promise<string> {
    const known = await db.one('select 1 from auth.sessions where user_id = $1::uuid and ip = $2 limit 1', [
      user?.id ?? null,
      ip,
    ]);
    const key = known ? `mail:${email} at ${ip}` : `mail:${email}`;
    const wait = await limits(authLimits.signInAccount, key);
    if (wait !== null) throw refuse.rate(wait);
    return key;
  }

  return async (c) => {
    const body = await readBody(c, schema);
    if (!body.email) throw refuse.disabled(400, 'phone_provider_disabled', 'Phone logins are disabled');
    const email = readAddress(body.email);
    const from = readFrom(c);
    const wait = await limits(authLimits.signInIp, `ip:${from.ip}`);
    if (wait !== null) throw refuse.rate(wait);
    const user = await userByEmail(db, email);
    const key = await takeTry(email, user, from.ip);
    const fits = await passwordFits(user?.encrypted_password ?? null, body.password);
    if (!user || !fits) {
      await record(db, { action: 'login_failed', actorId: user?.id ?? null, at: clock(), ip: from.ip });
      throw refuse.credentials();
    }
    // Only wrong tries count: whoever knows the password gets the tries back.
    await forgetTakes(db, authLimits.signInAccount, key);
    if (!user.email_confirmed_at) throw refuse.unconfirmed();
    if (user.banned_until && user.banned_until > clock()) throw new AuthRefusal(400, 'user_banned', 'User is banned');
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
