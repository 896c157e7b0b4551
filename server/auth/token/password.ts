import { z } from 'zod';
import { resetLimit } from '#server/http/limits.ts';
import { authLimits } from '../core/config.ts';
import type { AuthContext } from '../core/context.ts';
import { type AuthRefusal, refuse } from '../core/errors.ts';
import { hashPassword, needsRehash, passwordFits } from '../accounts/passwords.ts';
import { type Handler, readAddress, readBody, readRequestInfo, readPhone, type Contact } from '../core/request.ts';
import { record } from '../core/audit-log.ts';
import { isBanned, isConfirmed, USER_COLUMNS, type UserRow } from '../accounts/users.ts';

const schema = z.object({
  email: z.string().nullish(),
  phone: z.string().nullish(),
  password: z.string().max(1_024),
});

/**
 * The row that a sign-in attempt reads. `ipWait`, `accountWait`: seconds until the next attempt, null when this one may go on.
 * `known`: the account has a session at this address. `waiting`: the password of its newest unconfirmed sign-up.
 */
type Begun = {
  readonly ipWait: number | null;
  readonly accountWait: number | null;
  readonly known: boolean | null;
  readonly waiting: string | null;
} & (UserRow | { readonly id: null });

/**
 * Counts an attempt against the address and then against the account. An address with a session of the account has a count of its own,
 * so that guessing elsewhere does not lock the owner out. Runs the same query whether the account exists or not.
 */
const attemptQuery = (column: 'email' | 'phone'): string => `select u.*, address.wait as "ipWait",
    case when address.wait is null then
      private.take_limit($4, case when u.known then $2::text || ' at ' || $3::text else $2::text end, $5::numeric, $6::numeric, $7::timestamptz)
    end as "accountWait"
  from (select private.take_limit($8, 'ip:' || $3::text, $9::numeric, $10::numeric, $11::timestamptz) as wait) address
  left join lateral (
    select ${USER_COLUMNS},
      exists (select from auth.sessions s where s.user_id = u.id and s.ip = $3) as known,
      (select a.encrypted_password from auth.signup_attempts a where a.user_id = u.id order by a.created_at desc limit 1) as waiting
    from auth.users u where u.${column} = $1 and u.deleted_at is null
  ) u on true`;
const BY_EMAIL = attemptQuery('email');
const BY_PHONE = attemptQuery('phone');

/** `POST /token?grant_type=password`. An unknown address takes as long as a wrong password and gets the same error. */
export function createTokenPassword(context: AuthContext): Handler {
  const { db, clock, config, limits, sessions } = context;

  return async (c) => {
    const body = await readBody(c, schema);
    if (!body.email && !config.phoneEnabled) throw refuse.phoneDisabled('Phone logins are disabled');
    const contact: Contact = body.email ? { email: readAddress(body.email) } : { phone: readPhone(body.phone ?? '') };
    const request = readRequestInfo(c);
    const [query, typed, name] =
      'email' in contact
        ? [BY_EMAIL, contact.email, `mail:${contact.email}`]
        : [BY_PHONE, contact.phone, `phone:${contact.phone}`];
    const begun = await db.one<Begun>(query, [
      typed,
      name,
      request.ip,
      ...limits.values(authLimits.signInAccount),
      ...limits.values(authLimits.signInIp),
    ]);
    if (!begun) throw new Error('a try to sign in had no answer');
    const wait = begun.ipWait ?? begun.accountWait;
    if (wait !== null) throw refuse.rate(wait);
    const user = begun.id === null ? null : begun;
    // For an unconfirmed account, compare with the password of its newest sign-up.
    const stored = user && !isConfirmed(user) ? user.waiting : (user?.encrypted_password ?? null);
    const matches = await passwordFits(stored, body.password);
    if (!user || !matches) {
      await record(db, { action: 'login_failed', actorId: user?.id ?? null, at: clock(), ip: request.ip });
      throw refuse.credentials();
    }
    // Only wrong attempts count: a right password gives them back.
    const tries = { limit: authLimits.signInAccount, key: user.known ? `${name} at ${request.ip}` : name };
    const refusal = refusalOf(contact, user, clock());
    if (refusal) {
      await resetLimit(db, tries);
      throw refusal;
    }
    if (user.encrypted_password && needsRehash(user.encrypted_password)) {
      await db.query(`update auth.users set encrypted_password = $2 where id = $1::uuid and encrypted_password = $3`, [
        user.id,
        await hashPassword(body.password),
        user.encrypted_password,
      ]);
    }
    return c.json(await sessions.begin(user, 'password', request, tries));
  };
}

/** Why somebody with the right password is still refused. */
function refusalOf(contact: Contact, user: UserRow, now: Date): AuthRefusal | null {
  if ('email' in contact && !user.email_confirmed_at) return refuse.unconfirmed();
  if ('phone' in contact && !user.phone_confirmed_at) return refuse.phoneUnconfirmed();
  return isBanned(user, now) ? refuse.banned() : null;
}
