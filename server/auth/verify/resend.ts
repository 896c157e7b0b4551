import { z } from 'zod';
import type { AuthParts } from '../auth-parts.ts';
import { refuse } from '../errors.ts';
import { evenly } from '../codes/evenly.ts';
import { takeMail } from '../codes/mail-limits.ts';
import { type Operation, readAddress, readBody } from '../request.ts';

const schema = z.object({ email: z.string().nullish(), phone: z.string().nullish(), type: z.string().max(32) });

/** `POST /resend`: the code of a sign-up or of a change of address once more. Answers the same whether anybody waits for one. */
export function createResend(parts: AuthParts): Operation {
  const { db, queue } = parts;
  return async (c) => {
    const body = await readBody(c, schema);
    if (body.type !== 'signup' && body.type !== 'email_change')
      throw refuse.validation('Missing one of these types: signup, email_change, sms, phone_change');
    if (!body.email) throw refuse.validation('Type provided requires an email address');
    const email = readAddress(body.email);
    await takeMail(parts, { email, ip: c.var.ip });
    await evenly(async () => {
      if (body.type === 'signup') await queue.add(db, { kind: 'signup', email });
      else {
        // The newest that asked for this address to become theirs.
        const asker = await db.one<{ id: string }>(
          `select id from auth.users where email_change = $1 and deleted_at is null order by email_change_sent_at desc limit 1`,
          [email],
        );
        await queue.add(db, { kind: 'email_change', email, ...(asker && { userId: asker.id }) });
      }
      queue.soon();
    });
    return c.json({});
  };
}
