import { randomUUID } from 'node:crypto';
import type { Transaction } from '#server/db/database.ts';
import type { AuthContext } from '../core/context.ts';
import type { RequestInfo, Contact } from '../core/request.ts';
import { record } from '../core/audit-log.ts';
import { hashPassword } from '../accounts/passwords.ts';
import { withConstantTiming } from '../codes/constant-timing.ts';
import { takeMessage } from '../codes/message-limits.ts';
import { unconfirmedUser } from './unconfirmed-user.ts';

export type SignUpForm = {
  readonly contact: Contact;
  readonly password: string;
  readonly data: Record<string, unknown>;
};
type Typed = {
  readonly contact: Contact;
  readonly hash: string;
  readonly data: Record<string, unknown>;
  readonly now: Date;
};

/**
 * Creates the sign-up with a code. Password and data are stored with this attempt and count only with its own code:
 * nobody can plant a password on somebody else's address.
 */
export function createSignUpByCode(
  context: AuthContext,
): (form: SignUpForm, request: RequestInfo) => Promise<Record<string, unknown>> {
  const { clock, db, keys, queue } = context;

  /** Creates the unconfirmed account or finds it, and stores the attempt. Returns null when the address has an owner. */
  async function write(tx: Transaction, { contact, hash, data, now }: Typed, request: RequestInfo) {
    const what = 'email' in contact ? 'email' : 'phone';
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
      ['email' in contact ? contact.email : contact.phone, data, now, { provider: what, providers: [what] }],
    );
    if (!row) return null;
    const attemptId = randomUUID();
    await tx.query(
      `insert into auth.signup_attempts (id, user_id, encrypted_password, data, ip, created_at) values ($1::uuid, $2::uuid, $3, $4::jsonb, $5, $6::timestamptz)`,
      [attemptId, row.id, hash, data, request.ip, now],
    );
    return { id: row.id, attemptId };
  }

  async function signUp(
    { contact, password, data }: SignUpForm,
    request: RequestInfo,
  ): Promise<Record<string, unknown>> {
    const hash = await hashPassword(password);
    const now = clock();
    const name = 'email' in contact ? contact.email : contact.phone;
    // A taken address gets ids that stay the same for each request, like those of an unconfirmed account.
    const decoy = { id: uuidOf(keys.hmac('decoy-user', name)), identity: uuidOf(keys.hmac('decoy-identity', name)) };
    const { id, identity } = await db.transaction(async (tx) => {
      const own = await write(tx, { contact, hash, data, now }, request);
      await record(tx, {
        action: own === null ? 'user_repeated_signup' : 'user_signedup',
        actorId: own?.id ?? null,
        at: now,
        ip: request.ip,
      });
      if ('email' in contact) {
        const kind = own === null ? 'account_exists' : 'signup';
        await queue.add(tx, { ...contact, kind, attemptId: own?.attemptId ?? null, redirectTo: request.redirectTo });
      } else
        await queue.add(tx, {
          ...contact,
          kind: own === null ? 'account_exists' : 'sms',
          attemptId: own?.attemptId ?? null,
        });
      const row = await tx.one<{ id: string }>('select id from auth.identities where user_id = $1::uuid', [
        own?.id ?? decoy.id,
      ]);
      return own === null || !row ? decoy : { id: own.id, identity: row.id };
    });
    queue.soon();
    return unconfirmedUser({ id, identity, contact, data, now });
  }

  return async (form, request) => {
    await takeMessage(context, { ...form.contact, kind: 'email' in form.contact ? 'signup' : 'sms', ip: request.ip });
    return withConstantTiming(() => signUp(form, request));
  };
}

/** Makes a uuid in version 4 format from a keyed hash. */
function uuidOf(hash: Buffer): string {
  const bytes = Buffer.from(hash.subarray(0, 16));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
