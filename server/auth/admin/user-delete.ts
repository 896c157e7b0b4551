import { z } from 'zod';
import { readPathUser } from '../accounts/path-user.ts';
import { endMessages } from '../codes/message-queue.ts';
import { recordEvent } from '../core/audit-log.ts';
import { AuthRefusal } from '../core/errors.ts';
import { type Call, readBody, requireServiceRole } from '../core/request.ts';
import { endAllSessions } from '../sessions/end.ts';
import type { AuthContext } from '../core/context.ts';

const schema = z.object({ should_soft_delete: z.boolean().nullish() });

/**
 * `DELETE /admin/users/{id}`: deletes an account with the same erasure as `delete-account`, and ends its sessions. A soft delete keeps the
 * row with its id and times. Throws 409 while the database refuses the deletion; the error names the call to make first.
 */
export async function deleteUser(context: AuthContext, c: Call): Promise<Response> {
  const { db, clock, sessions } = context;
  await requireServiceRole(context, c);
  const user = await readPathUser(context, c);
  const { id } = user;
  const text = await c.req.text();
  const softly = text !== '' && (await readBody(c, schema)).should_soft_delete === true;
  const ended = await db.transaction(async (tx) => {
    const endedIds = await endAllSessions(tx, id);
    const at = clock();
    const row = await tx.queryRow<{ outcome: string; message: string | null }>(
      `select d ->> 'outcome' as outcome, d ->> 'message' as message from private.delete_account_by_service($1::uuid, $2, $3::timestamptz) d`,
      [id, softly, at],
    );
    if (!row || row.outcome === 'not_found') throw new AuthRefusal(404, 'user_not_found', 'User not found');
    if (row.outcome !== 'deleted')
      throw new AuthRefusal(409, 'conflict', row.message ?? 'The account cannot be deleted');
    // Messages are locked after tokens, as in the use of a code, so that the two cannot deadlock.
    await endMessages(tx, user);
    const details = { by: 'service', softly };
    await recordEvent(tx, { action: 'user_deleted', actorId: id, at, ip: c.var.ip, details });
    return endedIds;
  });
  sessions.forget(ended);
  return c.json({});
}
