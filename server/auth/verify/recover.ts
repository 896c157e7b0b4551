import { z } from 'zod';
import { authLimits } from '../core/config.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { withConstantTiming } from '../codes/constant-timing.ts';
import { takeMessage } from '../codes/message-limits.ts';
import { type Handler, readAddress, readBody } from '../core/request.ts';
import { record } from '../core/audit-log.ts';
import { userByEmail } from '../accounts/users.ts';

const schema = z.object({ email: z.string(), dry_run: z.boolean().optional() });

/**
 * `POST /recover`: mails a link to set a new password. Answers `{}` for unknown addresses too. With `dry_run` it mails nothing and says
 * whether a confirmed account has the address: the sign-up form asks this, at most 30 times a minute.
 */
export function createRecover(context: AuthContext): Handler {
  const { db, clock, limits, queue } = context;
  return async (c) => {
    const body = await readBody(c, schema);
    const email = readAddress(body.email);
    if (body.dry_run === true) {
      const wait = await limits(authLimits.probeIp, `ip:${c.var.ip}`);
      if (wait !== null) throw refuse.mailRate(wait);
      const user = await userByEmail(db, email);
      if (!user?.email_confirmed_at) throw new AuthRefusal(404, 'user_not_found', 'User not found');
      return c.json({});
    }
    await takeMessage(context, { email, kind: 'recovery', ip: c.var.ip });
    await withConstantTiming(async () => {
      await db.transaction(async (tx) => {
        await queue.add(tx, { kind: 'recovery', email, redirectTo: c.req.query('redirect_to') });
        await record(tx, { action: 'user_recovery_requested', actorId: null, at: clock(), ip: c.var.ip });
      });
      queue.soon();
    });
    return c.json({});
  };
}
