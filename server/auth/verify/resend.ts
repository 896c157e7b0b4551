import { z } from 'zod';
import { newestSignUpAttempt } from '../accounts/sign-up-attempts.ts';
import { takeMessageLimit } from '../codes/message-limits.ts';
import { recordEvent } from '../core/audit-log.ts';
import { withConstantTiming } from '../core/constant-timing.ts';
import { type Contact, contactColumns, readEmail, readPhone } from '../core/contact.ts';
import { refuse } from '../core/errors.ts';
import type { NewMessage } from '../core/message-queue.ts';
import { type Call, readBody } from '../core/request.ts';
import type { AuthContext } from '../core/context.ts';

const schema = z.object({ email: z.string().nullish(), phone: z.string().nullish(), type: z.string().max(32) });
type Body = z.output<typeof schema>;
/** The kind of the code to send again, and its recipient. */
type Resent = Contact & { readonly kind: 'signup' | 'email_change' | 'sms' | 'phone_change' };

/** `POST /resend`: sends a code again. The answer does not show whether a code is pending. */
export async function resend(context: AuthContext, c: Call): Promise<Response> {
  const resent = readResent(context, await readBody(c, schema));
  await takeMessageLimit(context, { ...resent, ip: c.var.ip });
  const messageId = await withConstantTiming(async () =>
    queueMessage(context, { ...resent, ...(await readRecipient(context, resent)) }, c.var.ip),
  );
  return c.json('phone' in resent ? { message_id: messageId } : {});
}

function readResent({ config }: AuthContext, { type, email, phone }: Body): Resent {
  if (type === 'signup' || type === 'email_change') {
    if (!email) throw refuse.validation('Type provided requires an email address');
    return { kind: type, email: readEmail(email) };
  }
  if (type === 'sms' || type === 'phone_change') {
    if (!phone) throw refuse.validation('Type provided requires a phone number');
    if (!config.phoneEnabled) throw refuse.phoneDisabled('Unsupported phone provider');
    return { kind: type, phone: readPhone(phone) };
  }
  throw refuse.validation('Missing one of these types: signup, email_change, sms, phone_change');
}

/** Returns the recipient of the code: the newest attempt of a sign-up, or the account that requested a change. */
async function readRecipient(
  context: AuthContext,
  resent: Resent,
): Promise<{ attemptId: string | null } | { userId: string | undefined }> {
  return resent.kind === 'signup' || resent.kind === 'sms'
    ? { attemptId: await newestSignUpAttempt(context.db, resent) }
    : { userId: await changeRequester(context, resent) };
}

/** Returns the account that last requested a change to this email or phone. */
async function changeRequester({ db }: AuthContext, contact: Contact): Promise<string | undefined> {
  const { email, phone } = contactColumns(contact);
  const row = await db.queryRow<{ id: string }>(
    `select id from auth.users where (email_change = $1 or phone_change = $2) and deleted_at is null
     order by greatest(email_change_sent_at, phone_change_sent_at) desc limit 1`,
    [email, phone],
  );
  return row?.id;
}

/** Queues the message and returns its id. */
async function queueMessage({ db, clock, queue }: AuthContext, message: NewMessage, ip: string): Promise<string> {
  const id = await db.transaction(async (tx) => {
    await recordEvent(tx, {
      action: 'user_confirmation_requested',
      actorId: message.userId ?? null,
      at: clock(),
      ip,
      details: { kind: message.kind },
    });
    return queue.add(tx, message);
  });
  queue.wake();
  return id;
}
