import type { AuthContext } from '../core/context.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { takeMessage } from '../codes/message-limits.ts';
import { type Handler, readPerson, type Contact } from '../core/request.ts';
import { record } from '../core/audit-log.ts';
import { userById } from '../accounts/users.ts';

/** `GET /reauthenticate`: sends a code to the signed-in user, as proof for a change of password. */
export function createReauthenticate(context: AuthContext): Handler {
  const { clock, config, db, queue, readCaller } = context;
  return async (c) => {
    const { userId } = await readPerson(c, readCaller);
    const user = await userById(db, userId);
    if (!user) throw refuse.noSession();
    if (user.email === null && user.phone === null)
      throw refuse.validation('Reauthentication requires the user to have an email or a phone number');
    const byMail = user.email_confirmed_at !== null || !config.phoneEnabled;
    if (byMail ? user.email_confirmed_at === null : user.phone_confirmed_at === null)
      throw user.email === null
        ? new AuthRefusal(422, 'phone_not_confirmed', 'Please verify your phone first.')
        : new AuthRefusal(422, 'email_not_confirmed', 'Please verify your email first.');
    const contact: Contact = byMail ? { email: user.email ?? '' } : { phone: user.phone ?? '' };
    const { ip } = c.var;
    await takeMessage(context, { ...contact, kind: 'reauthentication', ip });
    await db.transaction(async (tx) => {
      const now = clock();
      await tx.query('update auth.users set reauthentication_sent_at = $2::timestamptz where id = $1::uuid', [
        userId,
        now,
      ]);
      await queue.add(tx, { ...contact, kind: 'reauthentication', userId });
      await record(tx, { action: 'user_reauthenticate_requested', actorId: userId, at: now, ip });
    });
    queue.soon();
    return c.json({});
  };
}
