import { z } from 'zod';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal } from '../core/errors.ts';
import { type Handler, requireServiceRole } from '../core/request.ts';
import { userById } from '../accounts/users.ts';
import { record } from '../core/audit-log.ts';
import { factorOf } from './factor-rows.ts';
import { removeFactor } from './unenrol.ts';

/** Reads the user in the path of an admin call. */
export async function readSubject({ db }: Pick<AuthContext, 'db'>, id: string | undefined) {
  const parsed = z.uuid().safeParse(id);
  if (!parsed.success) throw new AuthRefusal(404, 'validation_failed', 'user_id must be an UUID');
  const user = await userById(db, parsed.data);
  if (!user) throw new AuthRefusal(404, 'user_not_found', 'User not found');
  return user;
}

/** `GET /admin/users/:user/factors`: a plain array, as supabase-js expects. */
export function createAdminFactors(context: AuthContext): Handler {
  return async (c) => {
    await requireServiceRole(c, context.readCaller);
    return c.json((await readSubject(context, c.req.param('user'))).factors);
  };
}

/** `DELETE /admin/users/:user/factors/:factor`: for somebody who has lost the factor. */
export function createAdminFactorDelete(context: AuthContext): Handler {
  const { db, clock, readCaller } = context;
  return async (c) => {
    await requireServiceRole(c, readCaller);
    const user = await readSubject(context, c.req.param('user'));
    const id = await db.transaction(async (tx) => {
      const factor = await factorOf(tx, { factorId: c.req.param('factor') ?? '', userId: user.id }, true);
      await removeFactor(tx, factor);
      await record(tx, {
        action: 'factor_deleted',
        actorId: null,
        at: clock(),
        ip: c.var.ip,
        details: { user_id: user.id, factor_id: factor.id },
      });
      return factor.id;
    });
    return c.json({ id });
  };
}
