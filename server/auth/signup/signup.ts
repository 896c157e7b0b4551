import { z } from 'zod';
import type { Transaction } from '#server/db/database.ts';
import { authLimits } from '../auth-config.ts';
import type { AuthParts } from '../auth-parts.ts';
import { AuthRefusal, refuse } from '../errors.ts';
import { evenly } from '../codes/evenly.ts';
import { takeMail } from '../codes/mail-limits.ts';
import { checkPassword, hashPassword } from '../accounts/passwords.ts';
import { type From, type Operation, readAddress, readBody, readFrom } from '../request.ts';
import { record } from '../trail.ts';
import { checkMetadata, toUser, userById } from '../accounts/users.ts';

const schema = z.object({
  email: z.string().nullish(),
  phone: z.string().nullish(),
  password: z.string().nullish(),
  data: z.record(z.string(), z.unknown()).nullish(),
});
type Form = { email: string; password: string; data: Record<string, unknown> };

/**
 * `POST /signup`. Mails a code; the answer for an address that has an account is the same, and its owner gets a mail that says so.
 * With autoconfirm it answers a session at once, and a taken address with "User already registered".
 */
export function createSignUp(parts: AuthParts): Operation {
  const { db, clock, config, keys, limits, queue, sessions } = parts;

  return async (c) => {
    const body = await readBody(c, schema);
    if (!body.email && !body.phone && !body.password)
      throw refuse.disabled(422, 'anonymous_provider_disabled', 'Anonymous sign-ins are disabled');
    if (!body.email) throw refuse.disabled(400, 'phone_provider_disabled', 'Phone signups are disabled');
    if (!body.password) throw refuse.validation('Signup requires a valid password');
    if (!config.signupEnabled) throw refuse.disabled(422, 'signup_disabled', 'Signups not allowed for this instance');
    const form: Form = { email: readAddress(body.email), password: body.password, data: body.data ?? {} };
    checkPassword(form.password, config.passwordMinLength);
    checkMetadata(form.data);
    const from = readFrom(c);
    const wait = await limits(authLimits.signUpIp, `ip:${from.ip}`);
    if (wait !== null) throw refuse.rate(wait);
    if (config.autoconfirm) return c.json(await beginAtOnce(form, from));
    await takeMail(parts, { email: form.email, ip: from.ip });
    return c.json(await evenly(() => askToConfirm(form, from)));
  };

  async function askToConfirm({ email, password, data }: Form, from: From): Promise<Record<string, unknown>> {
    const hash = await hashPassword(password);
    const now = clock();
    // An address with an owner is answered with ids that stay the same however often one asks, as an unconfirmed account's do.
    const decoy = { id: uuidOf(keys.hmac('decoy-user', email)), identity: uuidOf(keys.hmac('decoy-identity', email)) };
    const { id, identity } = await db.transaction(async (tx) => {
      const own = await write(tx, { email, hash, data, now });
      await queue.add(tx, { kind: own === null ? 'account_exists' : 'signup', email });
      await record(tx, {
        action: own === null ? 'user_repeated_signup' : 'user_signedup',
        actorId: own,
        at: now,
        ip: from.ip,
      });
      const row = await tx.one<{ id: string }>('select id from auth.identities where user_id = $1::uuid', [
        own ?? decoy.id,
      ]);
      return own === null || !row ? decoy : { id: own, identity: row.id };
    });
    queue.soon();
    return unconfirmed({ id, identity, email, data, now });
  }

  /** A new account, or one that was never confirmed with what was typed now; null when the address has an owner. */
  async function write(
    tx: Transaction,
    { email, hash, data, now }: { email: string; hash: string; data: Record<string, unknown>; now: Date },
  ): Promise<string | null> {
    const row = await tx.one<{ id: string }>(
      `insert into auth.users as u (email, encrypted_password, raw_user_meta_data, confirmation_sent_at, created_at)
       values ($1, $2, $3::jsonb, $4::timestamptz, $4::timestamptz)
       on conflict (email) where deleted_at is null do update set encrypted_password = excluded.encrypted_password,
         raw_user_meta_data = excluded.raw_user_meta_data, confirmation_sent_at = excluded.confirmation_sent_at
       where u.email_confirmed_at is null
       returning id`,
      [email, hash, data, now],
    );
    return row?.id ?? null;
  }

  async function beginAtOnce({ email, password, data }: Form, from: From): Promise<Record<string, unknown>> {
    const hash = await hashPassword(password);
    const now = clock();
    const user = await db.transaction(async (tx) => {
      const row = await tx.one<{ id: string }>(
        `insert into auth.users (email, encrypted_password, raw_user_meta_data, email_confirmed_at, created_at)
         values ($1, $2, $3::jsonb, $4::timestamptz, $4::timestamptz)
         on conflict (email) where deleted_at is null do nothing returning id`,
        [email, hash, data, now],
      );
      if (!row) throw new AuthRefusal(422, 'user_already_exists', 'User already registered');
      await record(tx, { action: 'user_signedup', actorId: row.id, at: now, ip: from.ip });
      return userById(tx, row.id);
    });
    if (!user) throw new Error('a new account cannot be read back');
    return sessions.begin(user, 'password', from);
  }
}

/** What a sign-up answers, the same in every byte but the ids whether the address has an owner or not (promises G27). */
function unconfirmed(of: {
  id: string;
  identity: string;
  email: string;
  data: Record<string, unknown>;
  now: Date;
}): Record<string, unknown> {
  const { id, email, data, now } = of;
  return toUser({
    id,
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
    identities: [
      {
        identity_id: of.identity,
        id,
        user_id: id,
        identity_data: { ...data, sub: id, email, email_verified: false, phone_verified: false },
        provider: 'email',
        last_sign_in_at: null,
        created_at: now,
        updated_at: now,
        email,
      },
    ],
    factors: [],
    created_at: now,
    updated_at: now,
  });
}

/** A random-looking uuid (version 4 by its marks) out of a keyed hash. */
function uuidOf(hash: Buffer): string {
  const bytes = Buffer.from(hash.subarray(0, 16));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
