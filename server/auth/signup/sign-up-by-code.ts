import type { Transaction } from '#server/db/database.ts';
import { hashPassword } from '../accounts/passwords.ts';
import { addSignUpAttempt } from '../accounts/sign-up-attempts.ts';
import { takeMessageLimit } from '../codes/message-limits.ts';
import { recordEvent } from '../core/audit-log.ts';
import { withConstantTiming } from '../core/constant-timing.ts';
import { type Contact, contactColumn, contactColumns } from '../core/contact.ts';
import type { RequestInfo } from '../core/request.ts';
import { unconfirmedUser } from './unconfirmed-user.ts';
import type { AuthContext } from '../core/context.ts';

export type SignUpForm = {
  readonly contact: Contact;
  readonly password: string;
  readonly data: Record<string, unknown>;
};
/** The ids of an account and of its identity. */
type AnswerIds = { readonly id: string; readonly identity: string };

/**
 * Signs up with a code. Password and data are stored with this attempt and take effect only with its own code, so that no one can plant a
 * password on another person's address.
 */
export async function signUpByCode(
  context: AuthContext,
  form: SignUpForm,
  request: RequestInfo,
): Promise<Record<string, unknown>> {
  const { contact, password, data } = form;
  await takeMessageLimit(context, { ...contact, kind: 'email' in contact ? 'signup' : 'sms', ip: request.ip });
  return withConstantTiming(async () => {
    const hash = await hashPassword(password);
    const now = context.clock();
    const ids = await context.db.transaction((tx) => storeSignUp(context, tx, { form, hash, now, request }));
    context.queue.wake();
    return unconfirmedUser({ ...ids, contact, data, now });
  });
}

type HashedSignUp = {
  readonly form: SignUpForm;
  readonly hash: string;
  readonly now: Date;
  readonly request: RequestInfo;
};

/** Stores the account, the attempt and the message. Returns the ids for the response, which are decoys if the address has an owner. */
async function storeSignUp(context: AuthContext, tx: Transaction, signUp: HashedSignUp): Promise<AnswerIds> {
  const { form, now, request } = signUp;
  const { contact } = form;
  const userId = await upsertUnconfirmed(tx, form, now);
  const attemptId = userId === null ? null : await addAttempt(tx, userId, signUp);
  await recordEvent(tx, {
    action: userId === null ? 'user_repeated_signup' : 'user_signedup',
    actorId: userId,
    at: now,
    ip: request.ip,
  });
  if ('email' in contact)
    await context.queue.add(tx, {
      ...contact,
      kind: userId === null ? 'account_exists' : 'signup',
      attemptId,
      redirectTo: request.redirectTo,
    });
  else await context.queue.add(tx, { ...contact, kind: userId === null ? 'account_exists' : 'sms', attemptId });
  const decoy = decoyIds(context, contact);
  // The identity is queried for a taken address too, so that both cases take the same time.
  const row = await tx.queryRow<{ id: string }>('select id from auth.identities where user_id = $1::uuid', [
    userId ?? decoy.id,
  ]);
  return userId === null || !row ? decoy : { id: userId, identity: row.id };
}

function addAttempt(tx: Transaction, userId: string, { form, hash, now, request }: HashedSignUp): Promise<string> {
  return addSignUpAttempt(tx, { userId, passwordHash: hash, data: form.data, ip: request.ip, at: now });
}

/** Creates the unconfirmed account or finds the existing one. Returns null if the address has an owner or is reserved for one. */
async function upsertUnconfirmed(tx: Transaction, { contact, data }: SignUpForm, now: Date): Promise<string | null> {
  const { column, value } = contactColumn(contact);
  const row = await tx.queryRow<{ id: string }>(
    `insert into auth.users as u (${column}, raw_user_meta_data, raw_app_meta_data, confirmation_sent_at, created_at)
     select $1, $2::jsonb, $4::jsonb, $3::timestamptz, $3::timestamptz where not private.is_email_reserved($5, null, $3::timestamptz)
     on conflict (${column}) where deleted_at is null do update set confirmation_sent_at = excluded.confirmation_sent_at
     where u.email_confirmed_at is null and u.phone_confirmed_at is null returning id`,
    [value, data, now, { provider: column, providers: [column] }, contactColumns(contact).email],
  );
  return row?.id ?? null;
}

/** Derives decoy ids for a taken address. They are the same for every request, like the ids of an unconfirmed account. */
function decoyIds({ keys }: AuthContext, contact: Contact): AnswerIds {
  const { value } = contactColumn(contact);
  return { id: toUuid(keys.hmac('decoy-user', value)), identity: toUuid(keys.hmac('decoy-identity', value)) };
}

/** Converts a keyed hash to a UUID in version 4 format. */
function toUuid(hash: Buffer): string {
  const bytes = Buffer.from(hash.subarray(0, 16));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
