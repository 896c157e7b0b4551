import { type UserRow, userById } from '../accounts/users.ts';
import { takeMessageLimit } from '../codes/message-limits.ts';
import { recordEvent } from '../core/audit-log.ts';
import type { Contact } from '../core/contact.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { type Call, requireUser } from '../core/request.ts';
import type { AuthContext } from '../core/context.ts';

/** `GET /reauthenticate`: sends a code to the signed-in user, as proof for a change of password. */
export async function reauthenticate(context: AuthContext, c: Call): Promise<Response> {
  const { clock, config, db, queue } = context;
  const { userId } = await requireUser(context, c);
  const user = await userById(db, userId);
  if (!user) throw refuse.noSession();
  const contact = confirmedContact(user, config.phoneEnabled);
  const { ip } = c.var;
  await takeMessageLimit(context, { ...contact, kind: 'reauthentication', ip });
  await db.transaction(async (tx) => {
    const at = clock();
    await tx.query('update auth.users set reauthentication_sent_at = $2::timestamptz where id = $1::uuid', [
      userId,
      at,
    ]);
    await queue.add(tx, { ...contact, kind: 'reauthentication', userId });
    await recordEvent(tx, { action: 'user_reauthenticate_requested', actorId: userId, at, ip });
  });
  queue.wake();
  return c.json({});
}

/** Returns the user's confirmed email, else the confirmed phone. Throws if neither can receive a code. */
function confirmedContact(user: UserRow, phoneEnabled: boolean): Contact {
  if (user.email === null && user.phone === null)
    throw refuse.validation('Reauthentication requires the user to have an email or a phone number');
  const byMail = user.email_confirmed_at !== null || !phoneEnabled;
  if (byMail ? user.email_confirmed_at === null : user.phone_confirmed_at === null)
    throw user.email === null
      ? new AuthRefusal(422, 'phone_not_confirmed', 'Please verify your phone first.')
      : new AuthRefusal(422, 'email_not_confirmed', 'Please verify your email first.');
  return byMail ? { email: user.email ?? '' } : { phone: user.phone ?? '' };
}
