import { z } from 'zod';
import type { Transaction } from '#server/db/database.ts';
import { endMessages } from '../codes/message-queue.ts';
import type { AuthContext } from '../core/context.ts';
import { readSubject } from '../factors/admin-factors.ts';
import { type Handler, readBody, requireServiceRole } from '../core/request.ts';
import { record } from '../core/audit-log.ts';

const schema = z.object({ should_soft_delete: z.boolean().nullish() });

/** Tables of this schema with rows of an account. */
const USER_TABLES = ['identities', 'one_time_tokens', 'signup_attempts', 'mfa_factors', 'webauthn_credentials'];

/**
 * `DELETE /admin/users/{id}`: deletes an account and ends its sessions.
 * A soft delete keeps the row for references to it, without personal data or credentials.
 */
export function createAdminUserDelete(context: AuthContext): Handler {
  const { db, clock, readCaller, sessions } = context;

  async function anonymise(tx: Transaction, id: string): Promise<void> {
    for (const table of USER_TABLES) await tx.query(`delete from auth.${table} where user_id = $1::uuid`, [id]);
    await tx.query(
      `update auth.users set deleted_at = $2::timestamptz, email = null, phone = null, encrypted_password = null, email_change = null,
         phone_change = null, raw_user_meta_data = '{}', raw_app_meta_data = '{}' where id = $1::uuid`,
      [id, clock()],
    );
  }

  return async (c) => {
    await requireServiceRole(c, readCaller);
    const user = await readSubject(context, c.req.param('user'));
    const text = await c.req.text();
    const softly = text !== '' && (await readBody(c, schema)).should_soft_delete === true;
    const ended = await db.transaction(async (tx) => {
      const gone = await sessions.endAll(tx, user.id);
      if (softly) await anonymise(tx, user.id);
      else await tx.query('delete from auth.users where id = $1::uuid', [user.id]);
      // After the tokens, in the same order as code use.
      await endMessages(tx, user);
      await record(tx, {
        action: 'user_deleted',
        actorId: user.id,
        at: clock(),
        ip: c.var.ip,
        details: { by: 'service', softly },
      });
      return gone;
    });
    sessions.forget(ended);
    return c.json({});
  };
}
