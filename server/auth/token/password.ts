import { z } from 'zod';
import { type LimitKey, resetLimit } from '#server/http/limits.ts';
import { hashPassword, needsRehash, passwordMatches } from '../accounts/passwords.ts';
import { isBanned, isConfirmed, USER_COLUMNS, type UserRow } from '../accounts/users.ts';
import { recordEvent } from '../core/audit-log.ts';
import { type Contact, contactColumn, readContact } from '../core/contact.ts';
import { type AuthRefusal, refuse } from '../core/errors.ts';
import { authLimits } from '../core/limits.ts';
import { type Call, readBody, readRequestInfo } from '../core/request.ts';
import { beginSession } from '../sessions/begin.ts';
import type { AuthContext } from '../core/context.ts';

const schema = z.object({
  email: z.string().nullish(),
  phone: z.string().nullish(),
  password: z.string().max(1_024),
});
/**
 * `POST /token?grant_type=password`: signs in with a password. An unknown address takes as long as a wrong password and gets the same
 * error.
 */
export async function signInWithPassword(context: AuthContext, c: Call): Promise<Response> {
  const { db, clock, config } = context;
  const body = await readBody(c, schema);
  if (!body.email && !config.phoneEnabled) throw refuse.phoneDisabled('Phone logins are disabled');
  const contact = readContact(body);
  const request = readRequestInfo(c);
  const { user, unconfirmedPassword, attempts } = await countAttempt(context, contact, request.ip);
  // For an unconfirmed account, the password of its newest sign-up is compared.
  const stored = user && !isConfirmed(user) ? unconfirmedPassword : (user?.encrypted_password ?? null);
  const matches = await passwordMatches(stored, body.password);
  if (!user || !matches) {
    await recordEvent(db, { action: 'login_failed', actorId: user?.id ?? null, at: clock(), ip: request.ip });
    throw refuse.credentials();
  }
  const refusal = findRefusal(contact, user, clock());
  if (refusal) {
    await resetLimit(db, attempts);
    throw refusal;
  }
  await rehash(context, user, body.password);
  return c.json(await beginSession(context, user, 'password', request, attempts));
}

/**
 * The row that a sign-in attempt reads. `ipWait`, `accountWait`: seconds until the next attempt, or null if this one is admitted.
 * `knownIp`: the account has a session at this IP address. `unconfirmedPassword`: the password of its newest unconfirmed sign-up.
 */
type AttemptRow = {
  readonly ipWait: number | null;
  readonly accountWait: number | null;
  readonly knownIp: boolean | null;
  readonly unconfirmedPassword: string | null;
} & (UserRow | { readonly id: null });

/** `attempts`: the account's limit. Only wrong attempts count, because a right password resets it. */
type SignInAttempt = {
  readonly user: UserRow | null;
  readonly unconfirmedPassword: string | null;
  readonly attempts: LimitKey;
};

/**
 * Counts an attempt against the IP address and then against the account, and reads the account. An IP address with a session of the account
 * has a separate count, so that guesses from elsewhere do not lock the owner out. Throws the API's 429.
 */
async function countAttempt({ db, limits }: AuthContext, contact: Contact, ip: string): Promise<SignInAttempt> {
  const limit = authLimits.signInAccount;
  const { column, value } = contactColumn(contact);
  const key = column === 'email' ? `mail:${value}` : `phone:${value}`;
  const row = await db.queryRow<AttemptRow>(QUERIES[column], [
    value,
    key,
    ip,
    ...limits.values(limit),
    ...limits.values(authLimits.signInIp),
  ]);
  if (!row) throw new Error('the query of a sign-in attempt returned no row');
  const wait = row.ipWait ?? row.accountWait;
  if (wait !== null) throw refuse.rate(wait);
  return {
    user: row.id === null ? null : row,
    unconfirmedPassword: row.unconfirmedPassword,
    attempts: { limit, key: row.knownIp === true ? `${key} at ${ip}` : key },
  };
}

/** Builds the query of an attempt. It is the same whether the account exists or not. */
const attemptQuery = (column: 'email' | 'phone'): string => `select u.*, address.wait as "ipWait",
    case when address.wait is null then
      private.take_limit($4, case when u."knownIp" then $2::text || ' at ' || $3::text else $2::text end, $5::numeric, $6::numeric, $7::timestamptz)
    end as "accountWait"
  from (select private.take_limit($8, 'ip:' || $3::text, $9::numeric, $10::numeric, $11::timestamptz) as wait) address
  left join lateral (
    select ${USER_COLUMNS},
      exists (select from auth.sessions s where s.user_id = u.id and s.ip = $3) as "knownIp",
      (select a.encrypted_password from auth.signup_attempts a where a.user_id = u.id order by a.created_at desc limit 1)
        as "unconfirmedPassword"
    from auth.users u where u.${column} = $1 and u.deleted_at is null
  ) u on true`;
const QUERIES = { email: attemptQuery('email'), phone: attemptQuery('phone') } as const;

/** Returns the reason to refuse a sign-in despite the right password, or null. */
function findRefusal(contact: Contact, user: UserRow, now: Date): AuthRefusal | null {
  if ('email' in contact && !user.email_confirmed_at) return refuse.emailUnconfirmed(400);
  if ('phone' in contact && !user.phone_confirmed_at) return refuse.phoneUnconfirmed();
  return isBanned(user, now) ? refuse.banned(400) : null;
}

/** Replaces a hash that was made with different parameters, unless it has changed meanwhile. */
async function rehash({ db }: AuthContext, user: UserRow, password: string): Promise<void> {
  const stored = user.encrypted_password;
  if (!stored || !needsRehash(stored)) return;
  const replacement = await hashPassword(password);
  // The password stays the same, so its owner gets no mail about a change.
  await db.query(
    `update auth.users set encrypted_password = $2 from (select set_config('auth.same_secret', 'on', true)) same
     where id = $1::uuid and encrypted_password = $3`,
    [user.id, replacement, stored],
  );
}
