import { readPathUser } from '../accounts/path-user.ts';
import { recordEvent } from '../core/audit-log.ts';
import { type Call, requireServiceRole } from '../core/request.ts';
import { readPathFactor, removeFactor } from './factor-rows.ts';
import type { AuthContext } from '../core/context.ts';

/** `GET /admin/users/:user/factors`: a plain array, as supabase-js expects. */
export async function listUserFactors(context: AuthContext, c: Call): Promise<Response> {
  await requireServiceRole(context, c);
  return c.json((await readPathUser(context, c)).factors);
}

/** `DELETE /admin/users/:user/factors/:factor`: removes the factor of a user who has lost it. */
export async function deleteUserFactor(context: AuthContext, c: Call): Promise<Response> {
  const { db, clock } = context;
  await requireServiceRole(context, c);
  const user = await readPathUser(context, c);
  const id = await db.transaction(async (tx) => {
    const factor = await readPathFactor(tx, c, user.id, 'lock');
    await removeFactor(tx, factor);
    const details = { user_id: user.id, factor_id: factor.id };
    await recordEvent(tx, { action: 'factor_deleted', actorId: null, at: clock(), ip: c.var.ip, details });
    return factor.id;
  });
  return c.json({ id });
}
