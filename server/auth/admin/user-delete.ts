import { z } from 'zod';
import type { Transaction } from '#server/db/database.ts';
import type { AuthContext } from '../core/context.ts';
import { readSubject } from '../factors/admin-factors.ts';
import { type Operation, readBody, readService } from '../core/request.ts';
import { record } from '../core/audit-log.ts';

const schema = z.object({ should_soft_delete: z.boolean().nullish() });

/** What an account leaves behind in this schema, table by table. */
const BELONGINGS = [
  'identities',
  'one_time_tokens',
  'signup_attempts',
  'message_queue',
  'mfa_factors',
  'webauthn_credentials',
];

/**
 * `DELETE /admin/users/{id}`. Softly: the row stays for what refers to it, without anything that names or admits its person. Both end
 * every session at once.
 */
export function createAdminUserDelete(parts: AuthContext): Operation {
  const { db, clock, readCaller, sessions } = parts;

  async function empty(tx: Transaction, id: string): Promise<void> {
    for (const table of BELONGINGS) await tx.query(`delete from auth.${table} where user_id = $1::uuid`, [id]);
    await tx.query(
      `update auth.users set deleted_at = $2::timestamptz, email = null, phone = null, encrypted_password = null, email_change = null,
         phone_change = null, raw_user_meta_data = '{}', raw_app_meta_data = '{}' where id = $1::uuid`,
      [id, clock()],
    );
  }

  return async (c) => {
    await readService(c, readCaller);
    const user = await readSubject(parts, c.req.param('user'));
    const text = await c.req.text();
    const softly = text !== '' && (await readBody(c, schema)).should_soft_delete === true;
    const ended = await db.transaction(async (tx) => {
      const gone = await sessions.endAll(tx, user.id);
      if (softly) await empty(tx, user.id);
      else await tx.query('delete from auth.users where id = $1::uuid', [user.id]);
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
