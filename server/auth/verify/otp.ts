import { z } from 'zod';
import type { Transaction } from '#server/db/database.ts';
import type { AuthContext } from '../core/context.ts';
import { refuse } from '../core/errors.ts';
import { withConstantTiming } from '../codes/constant-timing.ts';
import { takeMessage } from '../codes/message-limits.ts';
import { type Handler, readAddress, readBody, readPhone, type Contact } from '../core/request.ts';
import { record } from '../core/audit-log.ts';
import { checkMetadata } from '../accounts/users.ts';

const schema = z.object({
  email: z.string().nullish(),
  phone: z.string().nullish(),
  data: z.record(z.string(), z.unknown()).nullish(),
  create_user: z.boolean().nullish(),
  channel: z.string().nullish(),
});

/**
 * `POST /otp`: sends a code and a link by mail, or a code by text message. A new address gets an unconfirmed account, unless
 * `create_user` is false. The answer does not show whether an account exists; on hosted Supabase it does.
 */
export function createOtp(context: AuthContext): Handler {
  const { clock, config, db, queue } = context;

  /** Creates an unconfirmed account without a password, unless one exists. */
  async function createUnconfirmed(
    tx: Transaction,
    contact: Contact,
    data: Record<string, unknown>,
    now: Date,
  ): Promise<void> {
    const what = 'email' in contact ? 'email' : 'phone';
    await tx.query(
      what === 'email'
        ? `insert into auth.users (email, raw_user_meta_data, raw_app_meta_data, confirmation_sent_at, created_at)
           values ($1, $2::jsonb, $3::jsonb, $4::timestamptz, $4::timestamptz) on conflict (email) where deleted_at is null do nothing`
        : `insert into auth.users (phone, raw_user_meta_data, raw_app_meta_data, confirmation_sent_at, created_at)
           values ($1, $2::jsonb, $3::jsonb, $4::timestamptz, $4::timestamptz) on conflict (phone) where deleted_at is null do nothing`,
      ['email' in contact ? contact.email : contact.phone, data, { provider: what, providers: [what] }, now],
    );
  }

  return async (c) => {
    const body = await readBody(c, schema);
    if (!body.email && !body.phone) throw refuse.validation('One of email or phone must be set');
    if (body.email && body.phone) throw refuse.validation('Only an email address or phone number should be provided');
    if (body.phone && !config.phoneEnabled) throw refuse.phoneDisabled('Unsupported phone provider');
    if (body.channel && body.channel !== 'sms') throw refuse.validation('Unsupported channel: use sms');
    const contact: Contact = body.email ? { email: readAddress(body.email) } : { phone: readPhone(body.phone ?? '') };
    const data = body.data ?? {};
    checkMetadata(data);
    const creates = body.create_user !== false && config.signupEnabled;
    await takeMessage(context, { ...contact, kind: 'email' in contact ? 'magiclink' : 'sms', ip: c.var.ip });
    const messageId = await withConstantTiming(async () => {
      const now = clock();
      const id = await db.transaction(async (tx) => {
        if (creates) await createUnconfirmed(tx, contact, data, now);
        await record(tx, { action: 'user_otp_requested', actorId: null, at: now, ip: c.var.ip });
        return queue.add(tx, { ...contact, kind: 'otp', redirectTo: c.req.query('redirect_to') });
      });
      queue.soon();
      return id;
    });
    return c.json('phone' in contact ? { message_id: messageId } : {});
  };
}
