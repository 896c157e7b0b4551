import { z } from 'zod';
import type { Transaction } from '#server/db/database.ts';
import type { AuthContext } from '../core/context.ts';
import { refuse } from '../core/errors.ts';
import { withConstantTiming } from '../codes/constant-timing.ts';
import { takeMessage } from '../codes/message-limits.ts';
import { type Operation, readAddress, readBody, readPhone, type Way } from '../core/request.ts';
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
 * `POST /otp`: a code and a link by mail, or a code by text message. A new address gets an account that waits for its code, unless
 * `create_user` is false. The answer is the same whether anybody has the address, where hosted Supabase tells (promises G27).
 */
export function createOtp(parts: AuthContext): Operation {
  const { clock, config, db, queue } = parts;

  /** An account without a password, where there is none and may be one. */
  async function makeRoom(tx: Transaction, way: Way, data: Record<string, unknown>, now: Date): Promise<void> {
    const what = 'email' in way ? 'email' : 'phone';
    await tx.query(
      what === 'email'
        ? `insert into auth.users (email, raw_user_meta_data, raw_app_meta_data, confirmation_sent_at, created_at)
           values ($1, $2::jsonb, $3::jsonb, $4::timestamptz, $4::timestamptz) on conflict (email) where deleted_at is null do nothing`
        : `insert into auth.users (phone, raw_user_meta_data, raw_app_meta_data, confirmation_sent_at, created_at)
           values ($1, $2::jsonb, $3::jsonb, $4::timestamptz, $4::timestamptz) on conflict (phone) where deleted_at is null do nothing`,
      ['email' in way ? way.email : way.phone, data, { provider: what, providers: [what] }, now],
    );
  }

  return async (c) => {
    const body = await readBody(c, schema);
    if (!body.email && !body.phone) throw refuse.validation('One of email or phone must be set');
    if (body.email && body.phone) throw refuse.validation('Only an email address or phone number should be provided');
    if (body.phone && !config.phoneEnabled) throw refuse.phoneDisabled('Unsupported phone provider');
    if (body.channel && body.channel !== 'sms') throw refuse.validation('Unsupported channel: use sms');
    const way: Way = body.email ? { email: readAddress(body.email) } : { phone: readPhone(body.phone ?? '') };
    const data = body.data ?? {};
    checkMetadata(data);
    const creates = body.create_user !== false && config.signupEnabled;
    await takeMessage(parts, { ...way, kind: 'email' in way ? 'magiclink' : 'sms', ip: c.var.ip });
    const messageId = await withConstantTiming(async () => {
      const now = clock();
      const id = await db.transaction(async (tx) => {
        if (creates) await makeRoom(tx, way, data, now);
        await record(tx, { action: 'user_otp_requested', actorId: null, at: now, ip: c.var.ip });
        return queue.add(tx, { ...way, kind: 'otp', redirectTo: c.req.query('redirect_to') });
      });
      queue.soon();
      return id;
    });
    return c.json('phone' in way ? { message_id: messageId } : {});
  };
}
