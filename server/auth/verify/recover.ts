import { z } from 'zod';
import { userByEmail } from '../accounts/users.ts';
import { takeMessageLimit } from '../codes/message-limits.ts';
import { recordEvent } from '../core/audit-log.ts';
import { withConstantTiming } from '../core/constant-timing.ts';
import { readEmail } from '../core/contact.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { authLimits } from '../core/limits.ts';
import { type Call, readBody } from '../core/request.ts';
import type { AuthContext } from '../core/context.ts';

const schema = z.object({ email: z.string(), dry_run: z.boolean().optional() });

/**
 * `POST /recover`: mails a link to set a new password. Answers `{}` for unknown addresses too. With `dry_run` it sends no mail and returns
 * whether a confirmed account has the address. The sign-up form uses this, at most 30 times a minute from one IP address.
 */
export async function recover(context: AuthContext, c: Call): Promise<Response> {
  const { db, clock, queue } = context;
  const body = await readBody(c, schema);
  const email = readEmail(body.email);
  const { ip } = c.var;
  if (body.dry_run === true) {
    await requireConfirmedAccount(context, email, ip);
    return c.json({});
  }
  await takeMessageLimit(context, { email, kind: 'recovery', ip });
  await withConstantTiming(async () => {
    await db.transaction(async (tx) => {
      await queue.add(tx, { kind: 'recovery', email, redirectTo: c.req.query('redirect_to') });
      await recordEvent(tx, { action: 'user_recovery_requested', actorId: null, at: clock(), ip });
    });
    queue.wake();
  });
  return c.json({});
}

/** Throws 404 unless a confirmed account has the address. */
async function requireConfirmedAccount({ db, limits }: AuthContext, email: string, ip: string): Promise<void> {
  const wait = await limits(authLimits.probeIp, `ip:${ip}`);
  if (wait !== null) throw refuse.mailRate(wait);
  const user = await userByEmail(db, email);
  if (!user?.email_confirmed_at) throw new AuthRefusal(404, 'user_not_found', 'User not found');
}
