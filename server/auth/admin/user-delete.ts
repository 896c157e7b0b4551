import { z } from 'zod';
import type { Transaction } from '#server/db/database.ts';
import { readPathUser } from '../accounts/path-user.ts';
import { endMessages } from '../codes/message-queue.ts';
import { recordEvent } from '../core/audit-log.ts';
import type { Needs } from '../core/context.ts';
import { type Call, readBody, requireServiceRole } from '../core/request.ts';
import { endAllSessions } from '../sessions/end.ts';

const schema = z.object({ should_soft_delete: z.boolean().nullish() });

/** Tables of this schema with rows of an account. */
const USER_TABLES = ['identities', 'one_time_tokens', 'signup_attempts', 'mfa_factors', 'webauthn_credentials'];

/**
 * `DELETE /admin/users/{id}`: deletes an account and ends its sessions.
 * A soft delete keeps the row for references to it, without personal data or credentials.
 */
export async function deleteUser(
  context: Needs<'db' | 'clock' | 'readCaller' | 'sessions'>,
  c: Call,
): Promise<Response> {
  const { db, clock, sessions } = context;
  await requireServiceRole(context, c);
  const user = await readPathUser(context, c);
  const { id } = user;
  const text = await c.req.text();
  const softly = text !== '' && (await readBody(c, schema)).should_soft_delete === true;
  const ended = await db.transaction(async (tx) => {
    const endedIds = await endAllSessions(tx, id);
    const at = clock();
    if (softly) await anonymise(tx, id, at);
    else await tx.query('delete from auth.users where id = $1::uuid', [id]);
    // After the tokens, in the same order as code use.
    await endMessages(tx, user);
    const details = { by: 'service', softly };
    await recordEvent(tx, { action: 'user_deleted', actorId: id, at, ip: c.var.ip, details });
    return endedIds;
  });
  sessions.forget(ended);
  return c.json({});
}

async function anonymise(tx: Transaction, id: string, at: Date): Promise<void> {
  for (const table of USER_TABLES) await tx.query(`delete from auth.${table} where user_id = $1::uuid`, [id]);
  await tx.query(
    `update auth.users set deleted_at = $2::timestamptz, email = null, phone = null, encrypted_password = null, email_change = null,
       phone_change = null, raw_user_meta_data = '{}', raw_app_meta_data = '{}' where id = $1::uuid`,
    [id, at],
  );
}
