import { recordEvent } from '../core/audit-log.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { type Call, requireUser } from '../core/request.ts';
import { readSession } from '../sessions/session-rows.ts';
import { readPathFactor, removeFactor } from './factor-rows.ts';
import type { AuthContext } from '../core/context.ts';

/** `DELETE /factors/:id`: removing a verified factor needs an aal2 session. Sessions raised by the factor go back to aal1. */
export async function unenrolFactor(context: AuthContext, c: Call): Promise<Response> {
  const { db, clock } = context;
  const caller = await requireUser(context, c);
  const { userId, sessionId } = caller;
  const id = await db.transaction(async (tx) => {
    const factor = await readPathFactor(tx, c, userId, 'lock');
    const session = await readSession(tx, caller);
    if (session === null) throw refuse.noSession();
    if (factor.status === 'verified' && session.aal !== 'aal2')
      throw new AuthRefusal(422, 'insufficient_aal', 'AAL2 required to unenroll verified factor');
    await removeFactor(tx, factor);
    const details = { factor_id: factor.id, factor_status: factor.status, session_id: sessionId };
    await recordEvent(tx, { action: 'factor_unenrolled', actorId: userId, at: clock(), ip: c.var.ip, details });
    return factor.id;
  });
  return c.json({ id });
}
