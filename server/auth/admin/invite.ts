import { z } from 'zod';
import type { Transaction } from '#server/db/database.ts';
import { checkMetadata } from '../accounts/metadata.ts';
import { toUser } from '../accounts/user-object.ts';
import { type UserRow, userByEmail } from '../accounts/users.ts';
import { recordEvent } from '../core/audit-log.ts';
import { readEmail } from '../core/contact.ts';
import { refuse } from '../core/errors.ts';
import { type Call, readBody, requireServiceRole } from '../core/request.ts';
import { isReserved } from '../codes/replaced-emails.ts';
import type { AuthContext } from '../core/context.ts';

const schema = z.object({ email: z.string(), data: z.record(z.string(), z.unknown()).nullish() });

/** `POST /invite`: mails an invitation to set a password. */
export async function invite(context: AuthContext, c: Call): Promise<Response> {
  const { db, clock, queue } = context;
  await requireServiceRole(context, c);
  const body = await readBody(c, schema);
  const email = readEmail(body.email);
  checkMetadata(body.data ?? {});
  const user = await db.transaction(async (tx) => {
    const invited = await inviteUser(tx, { email, data: body.data ?? null, at: clock() });
    await queue.add(tx, { kind: 'invite', email, userId: invited.id, redirectTo: c.req.query('redirect_to') });
    await recordEvent(tx, { action: 'user_invited', actorId: invited.id, at: clock(), ip: c.var.ip });
    return invited;
  });
  queue.wake();
  return c.json(toUser(user));
}

/** Creates an invited account, or invites an unconfirmed one again. Refuses confirmed accounts and reserved addresses. */
export async function inviteUser(
  tx: Transaction,
  invited: { email: string; data: Record<string, unknown> | null; at: Date },
): Promise<UserRow> {
  const { email, at: now } = invited;
  if (await isReserved(tx, { email, userId: null, now })) throw refuse.emailExists();
  await tx.query(
    `insert into auth.users as u (email, raw_user_meta_data, invited_at, created_at)
     values ($1, coalesce($2::jsonb, '{}'), $3::timestamptz, $3::timestamptz)
     on conflict (email) where deleted_at is null do update set invited_at = excluded.invited_at,
       raw_user_meta_data = coalesce($2::jsonb, u.raw_user_meta_data) where u.email_confirmed_at is null`,
    [invited.email, invited.data, invited.at],
  );
  const user = await userByEmail(tx, invited.email);
  if (!user || user.email_confirmed_at !== null) throw refuse.emailExists();
  return user;
}
