import { z } from 'zod';
import type { Transaction } from '#server/db/database.ts';
import { checkMetadata } from '../accounts/metadata.ts';
import { takeMessageLimit } from '../codes/message-limits.ts';
import { recordEvent } from '../core/audit-log.ts';
import { withConstantTiming } from '../core/constant-timing.ts';
import { type Contact, contactColumn, contactColumns, readContact } from '../core/contact.ts';
import { refuse } from '../core/errors.ts';
import { type Call, readBody } from '../core/request.ts';
import type { AuthContext } from '../core/context.ts';

const schema = z.object({
  email: z.string().nullish(),
  phone: z.string().nullish(),
  data: z.record(z.string(), z.unknown()).nullish(),
  create_user: z.boolean().nullish(),
  channel: z.string().nullish(),
});
type Body = z.output<typeof schema>;
/**
 * `POST /otp`: sends a code and a link by mail, or a code by text message. A new address gets an unconfirmed account, unless
 * `create_user` is false. The answer does not show whether an account exists; in Supabase Auth it does.
 */
export async function sendOtp(context: AuthContext, c: Call): Promise<Response> {
  const body = await readBody(c, schema);
  const contact = readOtpContact(context, body);
  checkMetadata(body.data ?? {});
  await takeMessageLimit(context, { ...contact, kind: 'email' in contact ? 'magiclink' : 'sms', ip: c.var.ip });
  const messageId = await withConstantTiming(() => queueOtp(context, c, contact, body));
  return c.json('phone' in contact ? { message_id: messageId } : {});
}

function readOtpContact({ config }: AuthContext, body: Body): Contact {
  if (!body.email && !body.phone) throw refuse.validation('One of email or phone must be set');
  if (body.email && body.phone) throw refuse.validation('Only an email address or phone number should be provided');
  if (body.phone && !config.phoneEnabled) throw refuse.phoneDisabled('Unsupported phone provider');
  if (body.channel && body.channel !== 'sms') throw refuse.validation('Unsupported channel: use sms');
  return readContact(body);
}

/** Queues the message and returns its id. */
async function queueOtp(context: AuthContext, c: Call, contact: Contact, body: Body): Promise<string> {
  const { clock, config, db, queue } = context;
  const at = clock();
  const id = await db.transaction(async (tx) => {
    if (body.create_user !== false && config.signupEnabled) await insertUnconfirmed(tx, contact, body.data ?? {}, at);
    await recordEvent(tx, { action: 'user_otp_requested', actorId: null, at, ip: c.var.ip });
    return queue.add(tx, { ...contact, kind: 'otp', redirectTo: c.req.query('redirect_to') });
  });
  queue.wake();
  return id;
}

/** Creates an unconfirmed account without a password, unless one exists or the address is reserved for one. */
async function insertUnconfirmed(
  tx: Transaction,
  contact: Contact,
  data: Record<string, unknown>,
  at: Date,
): Promise<void> {
  const { column, value } = contactColumn(contact);
  await tx.query(
    `insert into auth.users (${column}, raw_user_meta_data, raw_app_meta_data, confirmation_sent_at, created_at)
     select $1, $2::jsonb, $3::jsonb, $4::timestamptz, $4::timestamptz where not private.is_email_reserved($5, null, $4::timestamptz)
     on conflict (${column}) where deleted_at is null do nothing`,
    [value, data, { provider: column, providers: [column] }, at, contactColumns(contact).email],
  );
}
