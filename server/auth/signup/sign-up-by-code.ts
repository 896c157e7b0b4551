import { randomUUID } from 'node:crypto';
import type { Transaction } from '#server/db/database.ts';
import type { AuthContext } from '../core/context.ts';
import type { From, Way } from '../core/request.ts';
import { record } from '../core/audit-log.ts';
import { hashPassword } from '../accounts/passwords.ts';
import { withConstantTiming } from '../codes/constant-timing.ts';
import { takeMessage } from '../codes/message-limits.ts';
import { unconfirmedUser } from './unconfirmed-user.ts';

export type SignUpForm = { readonly way: Way; readonly password: string; readonly data: Record<string, unknown> };
type Typed = { readonly way: Way; readonly hash: string; readonly data: Record<string, unknown>; readonly now: Date };

/**
 * A new account that waits for its code. What was typed is kept with this very attempt and counts with its own code only: whoever signs
 * up with somebody else's address plants no password there.
 */
export function createSignUpByCode(
  parts: AuthContext,
): (form: SignUpForm, from: From) => Promise<Record<string, unknown>> {
  const { clock, db, keys, queue } = parts;

  /** The account without an owner, new or waiting, with what was typed now; null when the address has an owner. */
  async function write(tx: Transaction, { way, hash, data, now }: Typed, from: From) {
    const what = 'email' in way ? 'email' : 'phone';
    const row = await tx.one<{ id: string }>(
      what === 'email'
        ? `insert into auth.users as u (email, raw_user_meta_data, raw_app_meta_data, confirmation_sent_at, created_at)
           values ($1, $2::jsonb, $4::jsonb, $3::timestamptz, $3::timestamptz)
           on conflict (email) where deleted_at is null do update set confirmation_sent_at = excluded.confirmation_sent_at
           where u.email_confirmed_at is null and u.phone_confirmed_at is null returning id`
        : `insert into auth.users as u (phone, raw_user_meta_data, raw_app_meta_data, confirmation_sent_at, created_at)
           values ($1, $2::jsonb, $4::jsonb, $3::timestamptz, $3::timestamptz)
           on conflict (phone) where deleted_at is null do update set confirmation_sent_at = excluded.confirmation_sent_at
           where u.email_confirmed_at is null and u.phone_confirmed_at is null returning id`,
      ['email' in way ? way.email : way.phone, data, now, { provider: what, providers: [what] }],
    );
    if (!row) return null;
    const attemptId = randomUUID();
    await tx.query(
      `insert into auth.signup_attempts (id, user_id, encrypted_password, data, ip, created_at) values ($1::uuid, $2::uuid, $3, $4::jsonb, $5, $6::timestamptz)`,
      [attemptId, row.id, hash, data, from.ip, now],
    );
    return { id: row.id, attemptId };
  }

  async function askToConfirm({ way, password, data }: SignUpForm, from: From): Promise<Record<string, unknown>> {
    const hash = await hashPassword(password);
    const now = clock();
    const name = 'email' in way ? way.email : way.phone;
    // An address with an owner is answered with ids that stay the same however often one asks, as an unconfirmed account's do.
    const decoy = { id: uuidOf(keys.hmac('decoy-user', name)), identity: uuidOf(keys.hmac('decoy-identity', name)) };
    const { id, identity } = await db.transaction(async (tx) => {
      const own = await write(tx, { way, hash, data, now }, from);
      await record(tx, {
        action: own === null ? 'user_repeated_signup' : 'user_signedup',
        actorId: own?.id ?? null,
        at: now,
        ip: from.ip,
      });
      if ('email' in way) {
        const kind = own === null ? 'account_exists' : 'signup';
        await queue.add(tx, { ...way, kind, attemptId: own?.attemptId ?? null, redirectTo: from.redirectTo });
      } else
        await queue.add(tx, {
          ...way,
          kind: own === null ? 'account_exists' : 'sms',
          attemptId: own?.attemptId ?? null,
        });
      const row = await tx.one<{ id: string }>('select id from auth.identities where user_id = $1::uuid', [
        own?.id ?? decoy.id,
      ]);
      return own === null || !row ? decoy : { id: own.id, identity: row.id };
    });
    queue.soon();
    return unconfirmedUser({ id, identity, way, data, now });
  }

  return async (form, from) => {
    await takeMessage(parts, { ...form.way, kind: 'email' in form.way ? 'signup' : 'sms', ip: from.ip });
    return withConstantTiming(() => askToConfirm(form, from));
  };
}

/** A random-looking uuid (version 4 by its marks) out of a keyed hash. */
function uuidOf(hash: Buffer): string {
  const bytes = Buffer.from(hash.subarray(0, 16));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
