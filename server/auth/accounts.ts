import { randomUUID } from 'node:crypto';
import type { Database } from '#server/db/database.ts';
import { DatabaseError } from '#server/db/database.ts';
import type { Clock } from '#server/http/caller.ts';
import type { TakeLimit } from '#server/http/limits.ts';
import { type AuthConfig, authLimits } from './auth-config.ts';
import { AuthRefusal, refuse } from './errors.ts';
import type { MailQueue, TokenKind } from './mail-queue.ts';
import type { OneTimeTokens } from './one-time-tokens.ts';
import { checkPassword, hashPassword, needsRehash, passwordFits } from './passwords.ts';
import type { Sessions } from './sessions.ts';
import { toUser, type UserRow, userByEmail, userById } from './users.ts';

export type From = { readonly ip: string; readonly userAgent: string | null };
export type Answer = Record<string, unknown>;

/** What the auth door can do; each answers the wire's body or throws `AuthRefusal`. */
export type Accounts = {
  signUp(input: { email: string; password: string; data: Record<string, unknown> }, from: From): Promise<Answer>;
  signIn(input: { email: string; password: string }, from: From): Promise<Answer>;
  verify(
    input: { email: string | null; code: string | null; tokenHash: string | null; type: string },
    from: From,
  ): Promise<Answer>;
  resend(input: { email: string; type: string }, from: From): Promise<Answer>;
  recover(input: { email: string; dryRun: boolean }, from: From): Promise<Answer>;
  user(userId: string): Promise<Answer>;
  update(
    who: { userId: string; sessionId: string },
    input: {
      email: string | null;
      password: string | null;
      currentPassword: string | null;
      data: Record<string, unknown> | null;
    },
    from: From,
  ): Promise<Answer>;
};

/** A session this young may change the password without the old one (decisions T-16). */
const FRESH_SECONDS = 600;
const METADATA_BYTES = 16_384;

export function createAccounts(parts: {
  db: Database;
  clock: Clock;
  config: AuthConfig;
  limits: TakeLimit;
  queue: MailQueue;
  tokens: OneTimeTokens;
  sessions: Sessions;
}): Accounts {
  const { db, clock, config, limits, queue, tokens, sessions } = parts;

  async function take(limit: (typeof authLimits)[keyof typeof authLimits], key: string): Promise<void> {
    const wait = await limits(limit, key);
    if (wait !== null) throw refuse.rate(wait);
  }

  /** One mail a minute and five an hour to an address, whether anybody has it or not (promises G27). */
  async function takeMail(email: string, from: From): Promise<void> {
    const interval = { name: 'auth-mail-interval', max: 1, seconds: config.mailIntervalSeconds };
    for (const [limit, key] of [
      [authLimits.mailIp, `ip:${from.ip}`],
      [interval, `mail:${email}`],
      [authLimits.mailAddressHour, `mail:${email}`],
    ] as const) {
      const wait = await limits(limit, key);
      if (wait !== null) throw refuse.mailRate(wait);
    }
  }

  function checkData(data: Record<string, unknown>): void {
    if (Buffer.byteLength(JSON.stringify(data)) > METADATA_BYTES) throw refuse.validation('User metadata is too large');
  }

  /** Sends without making the caller wait, so that an answer takes as long for an unknown address as for a known one. */
  function sendSoon(): void {
    queueMicrotask(() => void queue.flush().catch(() => undefined));
  }

  async function signUp(
    input: { email: string; password: string; data: Record<string, unknown> },
    from: From,
  ): Promise<Answer> {
    const { email, password, data } = input;
    checkPassword(password, config.passwordMinLength);
    checkData(data);
    await take(authLimits.signUpIp, `ip:${from.ip}`);
    const hash = await hashPassword(password);
    const known = await userByEmail(db, email);
    if (config.autoconfirm) {
      if (known) throw new AuthRefusal(422, 'user_already_exists', 'User already registered');
      const user = await insertUser(email, hash, data, clock());
      return sessions.begin(user, 'password', from);
    }
    await takeMail(email, from);
    const now = clock();
    if (known?.email_confirmed_at) {
      await db.transaction((tx) => queue.add(tx, { kind: 'account_exists', email, userId: null }));
      sendSoon();
      return toUser({ ...stranger(email, data, now), id: randomUUID() });
    }
    const user = await db.transaction(async (tx) => {
      const row = known
        ? await tx.one<{ id: string }>(
            `update auth.users set encrypted_password = $2, raw_user_meta_data = $3::jsonb, confirmation_sent_at = $4::timestamptz where id = $1::uuid returning id`,
            [known.id, hash, data, now],
          )
        : await tx.one<{ id: string }>(
            `insert into auth.users (email, encrypted_password, raw_user_meta_data, confirmation_sent_at, created_at)
             values ($1, $2, $3::jsonb, $4::timestamptz, $4::timestamptz) on conflict do nothing returning id`,
            [email, hash, data, now],
          );
      if (!row) throw new AuthRefusal(409, 'conflict', 'Somebody is signing up with this address right now');
      await queue.add(tx, { kind: 'signup', email, userId: row.id });
      return userById(tx, row.id);
    });
    sendSoon();
    if (!user) throw new Error('a new account cannot be read back');
    return toUser(user);
  }

  async function insertUser(
    email: string,
    hash: string,
    data: Record<string, unknown>,
    confirmedAt: Date,
  ): Promise<UserRow> {
    const row = await db.one<{ id: string }>(
      `insert into auth.users (email, encrypted_password, raw_user_meta_data, email_confirmed_at, created_at) values ($1, $2, $3::jsonb, $4::timestamptz, $4::timestamptz) returning id`,
      [email, hash, data, confirmedAt],
    );
    const user = row ? await userById(db, row.id) : null;
    if (!user) throw new Error('a new account cannot be read back');
    return user;
  }

  async function signIn(input: { email: string; password: string }, from: From): Promise<Answer> {
    await take(authLimits.signInIp, `ip:${from.ip}`);
    await take(authLimits.signInAccount, `mail:${input.email}`);
    const user = await userByEmail(db, input.email);
    const fits = await passwordFits(user?.encrypted_password ?? null, input.password.slice(0, 128));
    if (!user || !fits) throw refuse.credentials();
    if (!user.email_confirmed_at) throw refuse.unconfirmed();
    if (user.banned_until && user.banned_until > clock()) throw new AuthRefusal(400, 'user_banned', 'User is banned');
    if (user.encrypted_password && needsRehash(user.encrypted_password)) {
      await db.query(`update auth.users set encrypted_password = $2 where id = $1::uuid and encrypted_password = $3`, [
        user.id,
        await hashPassword(input.password),
        user.encrypted_password,
      ]);
    }
    return sessions.begin(user, 'password', from);
  }

  const KINDS: Readonly<Record<string, readonly TokenKind[]>> = {
    signup: ['signup'],
    email: ['signup'],
    magiclink: ['signup'],
    recovery: ['recovery'],
    email_change: ['email_change'],
  };

  async function verify(
    input: { email: string | null; code: string | null; tokenHash: string | null; type: string },
    from: From,
  ): Promise<Answer> {
    const kinds = KINDS[input.type];
    if (!kinds) throw refuse.validation('Verify requires a verification type');
    await take(authLimits.verifyIp, `ip:${from.ip}`);
    const used =
      input.tokenHash !== null
        ? await tokens.useLink(input.tokenHash, kinds)
        : await tokens.useCode(input.email ?? '', input.code ?? '', kinds);
    const now = clock();
    if (used.kind === 'email_change') {
      await db
        .query(
          `update auth.users set email = $2, email_change = null, email_confirmed_at = $3::timestamptz where id = $1::uuid`,
          [used.user.id, used.email, now],
        )
        .catch((error: unknown) => {
          if (error instanceof DatabaseError && error.code === '23505')
            throw new AuthRefusal(422, 'email_exists', 'A user with this email address has already been registered');
          throw error;
        });
    } else {
      await db.query(
        `update auth.users set email_confirmed_at = coalesce(email_confirmed_at, $2::timestamptz) where id = $1::uuid`,
        [used.user.id, now],
      );
    }
    const user = await userById(db, used.user.id);
    if (!user) throw refuse.otp();
    return sessions.begin(user, used.kind === 'recovery' ? 'recovery' : 'otp', from);
  }

  async function resend(input: { email: string; type: string }, from: From): Promise<Answer> {
    if (input.type !== 'signup' && input.type !== 'email_change')
      throw refuse.validation('Missing one of these types: signup, email_change, sms, phone_change');
    await takeMail(input.email, from);
    const user = await userByEmail(db, input.email);
    if (input.type === 'signup' && user && !user.email_confirmed_at) {
      await db.transaction((tx) => queue.add(tx, { kind: 'signup', email: user.email, userId: user.id }));
      sendSoon();
    }
    return {};
  }

  async function recover(input: { email: string; dryRun: boolean }, from: From): Promise<Answer> {
    const { email, dryRun } = input;
    if (dryRun) {
      const wait = await limits(authLimits.probeIp, `ip:${from.ip}`);
      if (wait !== null) throw refuse.mailRate(wait);
      const user = await userByEmail(db, email);
      if (!user?.email_confirmed_at) throw new AuthRefusal(404, 'user_not_found', 'User not found');
      return {};
    }
    await takeMail(email, from);
    const user = await userByEmail(db, email);
    if (user) {
      await db.transaction(async (tx) => {
        await tx.query(`update auth.users set recovery_sent_at = $2::timestamptz where id = $1::uuid`, [
          user.id,
          clock(),
        ]);
        await queue.add(tx, { kind: 'recovery', email: user.email, userId: user.id });
      });
      sendSoon();
    }
    return {};
  }

  async function update(
    who: { userId: string; sessionId: string },
    input: {
      email: string | null;
      password: string | null;
      currentPassword: string | null;
      data: Record<string, unknown> | null;
    },
    from: From,
  ): Promise<Answer> {
    const user = await userById(db, who.userId);
    if (!user) throw refuse.noSession();
    if (input.data) checkData({ ...user.raw_user_meta_data, ...input.data });
    const newEmail = input.email !== null && input.email !== user.email ? input.email : null;
    if (input.password !== null || newEmail !== null) await proveIdentity(user, who.sessionId, input.currentPassword);
    if (input.password !== null) await changePassword(user, who.sessionId, input.password);
    if (newEmail !== null) await changeEmail(user, newEmail, from);
    if (input.data) {
      await db.query(`update auth.users set raw_user_meta_data = raw_user_meta_data || $2::jsonb where id = $1::uuid`, [
        user.id,
        input.data,
      ]);
    }
    const changed = await userById(db, user.id);
    if (!changed) throw refuse.noSession();
    return toUser(changed);
  }

  async function proveIdentity(user: UserRow, sessionId: string, currentPassword: string | null): Promise<void> {
    const session = await db.one<{ created_at: Date }>('select created_at from auth.sessions where id = $1::uuid', [
      sessionId,
    ]);
    if (session && clock().getTime() - session.created_at.getTime() < FRESH_SECONDS * 1000) return;
    if (currentPassword === null)
      throw new AuthRefusal(400, 'reauthentication_needed', 'Please enter your current password.');
    await take(authLimits.password, `user:${user.id}`);
    if (!(await passwordFits(user.encrypted_password, currentPassword.slice(0, 128))))
      throw new AuthRefusal(400, 'current_password_invalid', 'Your current password is not right.');
  }

  async function changePassword(user: UserRow, sessionId: string, password: string): Promise<void> {
    checkPassword(password, config.passwordMinLength);
    if (await passwordFits(user.encrypted_password, password))
      throw new AuthRefusal(422, 'same_password', 'New password should be different from the old password.');
    const hash = await hashPassword(password);
    await db.transaction(async (tx) => {
      await tx.query(`update auth.users set encrypted_password = $2 where id = $1::uuid`, [user.id, hash]);
      await tx.query(`delete from auth.one_time_tokens where user_id = $1::uuid and kind = 'recovery'`, [user.id]);
      await queue.add(tx, { kind: 'password_changed', email: user.email, userId: user.id });
    });
    await sessions.end(user.id, sessionId, 'others');
    sendSoon();
  }

  async function changeEmail(user: UserRow, email: string, from: From): Promise<void> {
    await takeMail(email, from);
    await db.transaction(async (tx) => {
      await tx.query(
        `update auth.users set email_change = $2, email_change_sent_at = $3::timestamptz where id = $1::uuid`,
        [user.id, email, clock()],
      );
      // A taken address answers as a free one: its owner is told, the asker learns nothing.
      const taken = await userByEmail(tx, email);
      await queue.add(
        tx,
        taken ? { kind: 'account_exists', email, userId: null } : { kind: 'email_change', email, userId: user.id },
      );
    });
    sendSoon();
  }

  return {
    signUp,
    signIn,
    verify,
    resend,
    recover,
    update,
    async user(userId) {
      const user = await userById(db, userId);
      if (!user) throw refuse.noSession();
      return toUser(user);
    },
  };
}

/** What a sign-up answers for an address that already has an account: the same as for a new one. */
function stranger(email: string, data: Record<string, unknown>, now: Date): Omit<UserRow, 'id'> {
  return {
    email,
    encrypted_password: null,
    email_confirmed_at: null,
    confirmation_sent_at: now,
    recovery_sent_at: null,
    email_change: null,
    email_change_sent_at: null,
    last_sign_in_at: null,
    raw_app_meta_data: { provider: 'email', providers: ['email'] },
    raw_user_meta_data: data,
    banned_until: null,
    created_at: now,
    updated_at: now,
  };
}
