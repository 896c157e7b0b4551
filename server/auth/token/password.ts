import { z } from 'zod';
import { forgetTakes } from '#server/http/limits.ts';
import { authLimits } from '../core/config.ts';
import type { AuthContext } from '../core/context.ts';
import { type AuthRefusal, refuse } from '../core/errors.ts';
import { hashPassword, needsRehash, passwordFits } from '../accounts/passwords.ts';
import { type Operation, readAddress, readBody, readFrom, readPhone, type Way } from '../core/request.ts';
import { record } from '../core/audit-log.ts';
import { isBanned, isConfirmed, USER_COLUMNS, type UserRow } from '../accounts/users.ts';

const schema = z.object({
  email: z.string().nullish(),
  phone: z.string().nullish(),
  password: z.string().max(1_024),
});

/**
 * What a try begins with. `ipWait`, `accountWait`: seconds until the next one, null when this one may go on; `known`: the account has a
 * session at this address; `waiting`: the password of its newest sign-up that waits for its code.
 */
type Begun = {
  readonly ipWait: number | null;
  readonly accountWait: number | null;
  readonly known: boolean | null;
  readonly waiting: string | null;
} & (UserRow | { readonly id: null });

/**
 * Counts a try against the address and, if that may go on, against the account; a device with a living session of the account counts by
 * itself, so that guessing elsewhere does not lock its owner out (promises G25). The same question whether there is an account or not.
 */
const beginTry = (column: 'email' | 'phone'): string => `select u.*, door.wait as "ipWait",
    case when door.wait is null then
      private.take_limit($4, case when u.known then $2::text || ' at ' || $3::text else $2::text end, $5::numeric, $6::numeric, $7::timestamptz)
    end as "accountWait"
  from (select private.take_limit($8, 'ip:' || $3::text, $9::numeric, $10::numeric, $11::timestamptz) as wait) door
  left join lateral (
    select ${USER_COLUMNS},
      exists (select from auth.sessions s where s.user_id = u.id and s.ip = $3) as known,
      (select a.encrypted_password from auth.signup_attempts a where a.user_id = u.id order by a.created_at desc limit 1) as waiting
    from auth.users u where u.${column} = $1 and u.deleted_at is null
  ) u on true`;
const BY_EMAIL = beginTry('email');
const BY_PHONE = beginTry('phone');

/** `POST /token?grant_type=password`. An unknown address costs as much time as a wrong password and gets the same no. */
export function createTokenPassword(parts: AuthContext): Operation {
  const { db, clock, config, limits, sessions } = parts;

  return async (c) => {
    const body = await readBody(c, schema);
    if (!body.email && !config.phoneEnabled) throw refuse.phoneDisabled('Phone logins are disabled');
    const way: Way = body.email ? { email: readAddress(body.email) } : { phone: readPhone(body.phone ?? '') };
    const from = readFrom(c);
    const [question, typed, name] =
      'email' in way ? [BY_EMAIL, way.email, `mail:${way.email}`] : [BY_PHONE, way.phone, `phone:${way.phone}`];
    const begun = await db.one<Begun>(question, [
      typed,
      name,
      from.ip,
      ...limits.values(authLimits.signInAccount),
      ...limits.values(authLimits.signInIp),
    ]);
    if (!begun) throw new Error('a try to sign in had no answer');
    const wait = begun.ipWait ?? begun.accountWait;
    if (wait !== null) throw refuse.rate(wait);
    const user = begun.id === null ? null : begun;
    // An account that waits for its code has what was typed last.
    const stored = user && !isConfirmed(user) ? user.waiting : (user?.encrypted_password ?? null);
    const fits = await passwordFits(stored, body.password);
    if (!user || !fits) {
      await record(db, { action: 'login_failed', actorId: user?.id ?? null, at: clock(), ip: from.ip });
      throw refuse.credentials();
    }
    // Only wrong tries count: whoever knows the password gets the tries back.
    const tries = { limit: authLimits.signInAccount, key: user.known ? `${name} at ${from.ip}` : name };
    const no = refusalOf(way, user, clock());
    if (no) {
      await forgetTakes(db, tries);
      throw no;
    }
    if (user.encrypted_password && needsRehash(user.encrypted_password)) {
      await db.query(`update auth.users set encrypted_password = $2 where id = $1::uuid and encrypted_password = $3`, [
        user.id,
        await hashPassword(body.password),
        user.encrypted_password,
      ]);
    }
    return c.json(await sessions.begin(user, 'password', from, tries));
  };
}

/** Why somebody who knows the password may not come in. */
function refusalOf(way: Way, user: UserRow, now: Date): AuthRefusal | null {
  if ('email' in way && !user.email_confirmed_at) return refuse.unconfirmed();
  if ('phone' in way && !user.phone_confirmed_at) return refuse.phoneUnconfirmed();
  return isBanned(user, now) ? refuse.banned() : null;
}
