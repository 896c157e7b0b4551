import { z } from 'zod';
import type { Transaction } from '#server/db/database.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal } from '../core/errors.ts';
import { type Handler, readAddress, readBody, requireServiceRole } from '../core/request.ts';
import { record } from '../core/audit-log.ts';
import { checkMetadata, toUser, type UserRow, userByEmail } from '../accounts/users.ts';

const schema = z.object({ email: z.string(), data: z.record(z.string(), z.unknown()).nullish() });

/** Creates an invited account, or invites an unconfirmed one again. Refuses a confirmed one. */
export async function makeInvited(
  tx: Transaction,
  invited: { email: string; data: Record<string, unknown> | null; at: Date },
): Promise<UserRow> {
  await tx.query(
    `insert into auth.users as u (email, raw_user_meta_data, invited_at, created_at)
     values ($1, coalesce($2::jsonb, '{}'), $3::timestamptz, $3::timestamptz)
     on conflict (email) where deleted_at is null do update set invited_at = excluded.invited_at,
       raw_user_meta_data = coalesce($2::jsonb, u.raw_user_meta_data) where u.email_confirmed_at is null`,
    [invited.email, invited.data, invited.at],
  );
  const user = await userByEmail(tx, invited.email);
  if (!user || user.email_confirmed_at !== null)
    throw new AuthRefusal(422, 'email_exists', 'A user with this email address has already been registered');
  return user;
}

/** `POST /invite`: mails an invitation to set a password. */
export function createInvite(context: AuthContext): Handler {
  const { db, clock, queue, readCaller } = context;
  return async (c) => {
    await requireServiceRole(c, readCaller);
    const body = await readBody(c, schema);
    const email = readAddress(body.email);
    checkMetadata(body.data ?? {});
    const user = await db.transaction(async (tx) => {
      const made = await makeInvited(tx, { email, data: body.data ?? null, at: clock() });
      await queue.add(tx, { kind: 'invite', email, userId: made.id, redirectTo: c.req.query('redirect_to') });
      await record(tx, { action: 'user_invited', actorId: made.id, at: clock(), ip: c.var.ip });
      return made;
    });
    queue.soon();
    return c.json(toUser(user));
  };
}
