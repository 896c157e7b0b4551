import type { Transaction } from '#server/db/database.ts';
import { userById } from '../accounts/users.ts';
import { refuse } from '../core/errors.ts';
import type { SignedInUser } from '../core/request.ts';
import { type SessionMethod, type SessionResponse, sessionResponse } from './session-response.ts';
import { type Assurance, SESSION_COLUMNS, sessionMethods, type SessionRow } from './session-rows.ts';
import type { AuthContext } from '../core/context.ts';

/** Adds a proved method to the session and returns the session at its new level. */
export async function stepUpSession(
  context: AuthContext,
  tx: Transaction,
  { userId, sessionId }: SignedInUser,
  proved: { method: string; aal: Assurance },
): Promise<SessionResponse> {
  const method: SessionMethod = { method: proved.method, timestamp: Math.floor(context.clock().getTime() / 1000) };
  const row = await tx.queryRow<SessionRow>(
    `update auth.sessions set aal = greatest(aal, $3), amr = $4::jsonb || amr where id = $1::uuid and user_id = $2::uuid
     returning ${SESSION_COLUMNS}`,
    [sessionId, userId, proved.aal, JSON.stringify([method])],
  );
  const user = await userById(tx, userId);
  if (!row || !user) throw refuse.noSession();
  const { generation, aal } = row;
  return sessionResponse(context, user, { id: sessionId, generation, aal, amr: sessionMethods(row) });
}
