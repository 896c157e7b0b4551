import type { Transaction } from '#server/db/database.ts';
import { isBanned, userById, type UserRow } from '../accounts/users.ts';
import { recordEvent } from '../core/audit-log.ts';
import type { Lifetimes } from '../core/config.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { readRefreshToken, type RefreshToken } from './refresh-tokens.ts';
import { type Rotate, rotateAll, type RotatedRow, rotationTimes } from './rotations.ts';
import { type SessionResponse, sessionResponse } from './session-response.ts';
import { lockSession, sessionMethods, type SessionRow } from './session-rows.ts';
import type { AuthContext } from '../core/context.ts';

/**
 * The result for a token that the first attempt did not rotate: the session, if it is an earlier token that may be reused; the rotated row,
 * if it is the newest token and its session was locked during that attempt; or the reason for the refusal.
 */
type Earlier = SessionRow | { readonly rotated: RotatedRow } | 'unknown' | 'reused' | 'expired';

const tokenNotFound = (): AuthRefusal =>
  new AuthRefusal(400, 'refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found');
/**
 * Rotates a refresh token and returns a new session response. Refresh tokens are derived; the session stores only the newest generation.
 * The newest token is rotated. The token before it returns the newest again, so that a lost response does not sign the user out and two
 * hundred tabs that refresh at the same time end with the same token. Older tokens do the same for `reuseSeconds` after their rotation, for
 * slow concurrent requests. After that, a token counts as stolen and the session ends.
 */
export async function refreshSession(
  context: AuthContext & { readonly rotate: Rotate },
  text: string,
  ip: string,
): Promise<SessionResponse> {
  const { db, keys, sessions, admitRefresh, rotate } = context;
  // Malformed tokens count too.
  const wait = await admitRefresh(`ip:${ip}`);
  if (wait !== null) throw refuse.rate(wait);
  const token = readRefreshToken(keys, text);
  if (!token) throw tokenNotFound();
  const row = await rotate({ token, ip });
  if (row) return respondRotated(context, token.sessionId, row);
  const earlier = await db.transaction((tx) => checkEarlier(context, tx, token, ip));
  if (earlier === 'unknown') throw tokenNotFound();
  if (earlier === 'expired' || earlier === 'reused') {
    sessions.forget([token.sessionId]);
    throw earlier === 'expired'
      ? new AuthRefusal(400, 'session_expired', 'Invalid Refresh Token: Session Expired')
      : new AuthRefusal(400, 'refresh_token_already_used', 'Invalid Refresh Token: Already Used');
  }
  if ('rotated' in earlier) return respondRotated(context, token.sessionId, earlier.rotated);
  const { generation, aal } = earlier;
  const user = await userById(db, earlier.user_id);
  return respond(context, user, { id: token.sessionId, generation, aal, amr: sessionMethods(earlier) });
}

function respondRotated(context: AuthContext, id: string, row: RotatedRow): SessionResponse {
  const { generation, aal, began_at: created_at } = row;
  const amr = sessionMethods({ ...row, created_at });
  return respond(context, row.id === null ? null : row, { id, generation, aal, amr });
}

function respond(
  context: AuthContext,
  user: UserRow | null,
  session: Parameters<typeof sessionResponse>[2],
): SessionResponse {
  if (!user || isBanned(user, context.clock())) throw refuse.banned(403);
  return sessionResponse(context, user, session);
}

/** Checks a token that was not rotated, under the session's lock. Returns the session if the token may be reused. */
async function checkEarlier(context: AuthContext, tx: Transaction, token: RefreshToken, ip: string): Promise<Earlier> {
  const { clock, config } = context;
  const row = await lockSession(tx, token.sessionId);
  // A generation that the session has not reached was issued before a backup was restored.
  if (!row || token.generation > row.generation) return 'unknown';
  const now = clock();
  if (isExpired(row, now, config)) {
    await endSession(tx, 'session_expired', { row, id: token.sessionId, at: now, ip });
    return 'expired';
  }
  if (token.generation === row.generation) {
    // The token is the newest, but another transaction held the session's lock during the first attempt to rotate it.
    const [rotated = null] = await rotateAll(tx, [{ token, ip }], rotationTimes(now, config));
    return rotated === null ? 'unknown' : { rotated };
  }
  if (mayReuse(row, token.generation, now, config.reuseSeconds)) return row;
  await endSession(tx, 'token_reused', { row, id: token.sessionId, at: now, ip });
  return 'reused';
}

/** Whether an earlier token returns the newest again: the token before the newest always does, older tokens within the reuse time. */
function mayReuse(row: SessionRow, generation: number, now: Date, reuseSeconds: number): boolean {
  if (generation === row.generation - 1) return true;
  // The last entry of `rotated_at` is the rotation of the token before the newest.
  const rotatedAt = row.rotated_at.at(generation - row.generation);
  return rotatedAt !== undefined && now.getTime() - rotatedAt.getTime() < reuseSeconds * 1000;
}

async function endSession(
  tx: Transaction,
  action: 'session_expired' | 'token_reused',
  { row, id, at, ip }: { row: SessionRow; id: string; at: Date; ip: string },
): Promise<void> {
  await tx.query(`delete from auth.sessions where id = $1::uuid`, [id]);
  await recordEvent(tx, { action, actorId: row.user_id, at, ip, details: { session_id: id } });
}

/** Whether a session has expired, by its age or by inactivity. */
function isExpired(row: Pick<SessionRow, 'created_at' | 'refreshed_at'>, now: Date, config: Lifetimes): boolean {
  const past = (from: Date, seconds: number | null): boolean =>
    seconds !== null && now.getTime() - from.getTime() > seconds * 1000;
  return past(row.created_at, config.sessionSeconds) || past(row.refreshed_at, config.inactivitySeconds);
}
