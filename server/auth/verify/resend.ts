import { z } from 'zod';
import type { AuthContext } from '../core/context.ts';
import { refuse } from '../core/errors.ts';
import { withConstantTiming } from '../codes/constant-timing.ts';
import { takeMessage } from '../codes/message-limits.ts';
import { type Handler, readAddress, readBody, readPhone } from '../core/request.ts';
import { record } from '../core/audit-log.ts';

const schema = z.object({ email: z.string().nullish(), phone: z.string().nullish(), type: z.string().max(32) });

/** `POST /resend`: sends a code again. The answer does not show whether anybody waits for one. */
export function createResend(context: AuthContext): Handler {
  const { clock, config, db, queue } = context;

  /** Returns the newest attempt of a sign-up, which the code belongs to. */
  async function attemptOf(contact: { email: string | null; phone: string | null }): Promise<string | null> {
    const row = await db.one<{ id: string }>(
      `select a.id from auth.signup_attempts a join auth.users u on u.id = a.user_id
       where (u.email = $1 or u.phone = $2) and u.deleted_at is null order by a.created_at desc limit 1`,
      [contact.email, contact.phone],
    );
    return row?.id ?? null;
  }
  /** Returns the account that last requested a change to this email or phone. */
  async function requesterOf(contact: { email: string | null; phone: string | null }): Promise<string | undefined> {
    const row = await db.one<{ id: string }>(
      `select id from auth.users where (email_change = $1 or phone_change = $2) and deleted_at is null
       order by greatest(email_change_sent_at, phone_change_sent_at) desc limit 1`,
      [contact.email, contact.phone],
    );
    return row?.id;
  }

  async function send(message: Parameters<AuthContext['queue']['add']>[1], ip: string): Promise<string> {
    const id = await db.transaction(async (tx) => {
      await record(tx, {
        action: 'user_confirmation_requested',
        actorId: message.userId ?? null,
        at: clock(),
        ip,
        details: { kind: message.kind },
      });
      return queue.add(tx, message);
    });
    queue.soon();
    return id;
  }

  async function mail(email: string, type: 'signup' | 'email_change', ip: string): Promise<void> {
    await takeMessage(context, { email, kind: type, ip });
    await withConstantTiming(async () => {
      const contact = { email, phone: null };
      await send(
        type === 'signup'
          ? { kind: type, email, attemptId: await attemptOf(contact) }
          : { kind: type, email, userId: await requesterOf(contact) },
        ip,
      );
    });
  }
  async function text(phone: string, type: 'sms' | 'phone_change', ip: string): Promise<string> {
    await takeMessage(context, { phone, kind: type, ip });
    return withConstantTiming(async () => {
      const contact = { email: null, phone };
      return send(
        type === 'sms'
          ? { kind: type, phone, attemptId: await attemptOf(contact) }
          : { kind: type, phone, userId: await requesterOf(contact) },
        ip,
      );
    });
  }

  return async (c) => {
    const { type, email, phone } = await readBody(c, schema);
    if (type === 'signup' || type === 'email_change') {
      if (!email) throw refuse.validation('Type provided requires an email address');
      await mail(readAddress(email), type, c.var.ip);
      return c.json({});
    }
    if (type === 'sms' || type === 'phone_change') {
      if (!phone) throw refuse.validation('Type provided requires a phone number');
      if (!config.phoneEnabled) throw refuse.phoneDisabled('Unsupported phone provider');
      return c.json({ message_id: await text(readPhone(phone), type, c.var.ip) });
    }
    throw refuse.validation('Missing one of these types: signup, email_change, sms, phone_change');
  };
}
