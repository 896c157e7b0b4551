import type { Transaction } from '#server/db/database.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { type Handler, readPerson } from '../core/request.ts';
import { record } from '../core/audit-log.ts';
import { assuranceOf, type FactorRow, factorOf } from './factor-rows.ts';

/** `DELETE /factors/:id`: removing a verified factor needs an aal2 session. Sessions raised by the factor go back to aal1. */
export function createUnenrol({ db, clock, readCaller }: AuthContext): Handler {
  return async (c) => {
    const person = await readPerson(c, readCaller);
    const id = await db.transaction(async (tx) => {
      const factor = await factorOf(tx, { factorId: c.req.param('factor') ?? '', userId: person.userId }, true);
      const aal = await assuranceOf(tx, person);
      if (aal === null) throw refuse.noSession();
      if (factor.status === 'verified' && aal !== 'aal2')
        throw new AuthRefusal(422, 'insufficient_aal', 'AAL2 required to unenroll verified factor');
      await removeFactor(tx, factor);
      await record(tx, {
        action: 'factor_unenrolled',
        actorId: person.userId,
        at: clock(),
        ip: c.var.ip,
        details: { factor_id: factor.id, factor_status: factor.status, session_id: person.sessionId },
      });
      return factor.id;
    });
    return c.json({ id });
  };
}

/** Removes a factor, and lowers the sessions that used it. */
export async function removeFactor(tx: Transaction, factor: FactorRow): Promise<void> {
  await tx.query(`update auth.sessions set aal = 'aal1', amr = '[]', factor_id = null where factor_id = $1::uuid`, [
    factor.id,
  ]);
  await tx.query('delete from auth.mfa_factors where id = $1::uuid', [factor.id]);
}
