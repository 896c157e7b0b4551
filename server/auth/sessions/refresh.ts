import type { Transaction } from '#server/db/database.ts';
import { isBanned, userById } from '../accounts/users.ts';
import { auditValues, recordEvent } from '../core/audit-log.ts';
import type { AuthConfig } from '../core/config.ts';
import type { Needs } from '../core/context.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { readRefreshToken, type RefreshToken } from './refresh-tokens.ts';
import { type ResponseContext, type SessionResponse, sessionResponse } from './session-response.ts';
import { lockSession, sessionMethods, type SessionRow } from './session-rows.ts';

type Lifetimes = Pick<AuthConfig, 'sessionSeconds' | 'inactivitySeconds'>;
type RotateContext = Needs<'clock', 'reuseSeconds' | keyof Lifetimes>;
export type RefreshContext = ResponseContext & RotateContext & Needs<'db' | 'sessions'>;

/** A session with its refresh token's new number, or why there is none. */
type Rotated = { readonly row: SessionRow; readonly generation: number } | 'unknown' | 'reused' | 'expired';

const tokenNotFound = (): AuthRefusal =>
  new AuthRefusal(400, 'refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found');
/** Rotation times stored per session. No honest client rotates more often than this within the reuse time. */
const ROTATIONS_MAX = 32;

/** Increases the number of a session, and writes its audit log entry. */
const ROTATE = `with rotated as (
    update auth.sessions set generation = generation + 1, refreshed_at = $5::timestamptz, rotated_at = $2::timestamptz[] where id = $1::uuid
  )
  insert into auth.audit_log_entries (payload, ip_address, created_at) values ($3::jsonb, $4, $5::timestamptz)`;

/**
 * Rotates a refresh token and returns a new session response.
 * Refresh tokens are derived; the session stores only the newest number. The newest token is rotated. The one before it returns the newest
 * again, so a lost response signs nobody out and two hundred tabs that refresh at once end with the same token. An older one does the same
 * for `reuseSeconds` after its rotation, for slow concurrent requests. After that it counts as stolen, and the session ends.
 */
export async function refreshSession(context: RefreshContext, text: string, ip: string): Promise<SessionResponse> {
  const { db, keys, clock, sessions } = context;
  const token = readRefreshToken(keys, text);
  if (!token) throw tokenNotFound();
  const rotated = await db.transaction((tx) => rotate(context, tx, token, ip));
  if (rotated === 'unknown') throw tokenNotFound();
  if (rotated === 'expired' || rotated === 'reused') {
    sessions.forget([token.sessionId]);
    throw rotated === 'expired'
      ? new AuthRefusal(400, 'session_expired', 'Invalid Refresh Token: Session Expired')
      : new AuthRefusal(400, 'refresh_token_already_used', 'Invalid Refresh Token: Already Used');
  }
  const { row, generation } = rotated;
  const user = await userById(db, row.user_id);
  if (!user || isBanned(user, clock())) throw refuse.banned(403);
  return sessionResponse(context, user, { id: token.sessionId, generation, aal: row.aal, amr: sessionMethods(row) });
}

/** Checks a presented token under the session's lock, and rotates the session when the token is the newest. */
async function rotate(context: RotateContext, tx: Transaction, token: RefreshToken, ip: string): Promise<Rotated> {
  const { clock, config } = context;
  const row = await lockSession(tx, token.sessionId);
  // A number that was never issued comes from before a restored backup: unknown here.
  if (!row || token.generation > row.generation) return 'unknown';
  const now = clock();
  if (isExpired(row, now, config)) {
    await endSession(tx, 'session_expired', { row, id: token.sessionId, at: now, ip });
    return 'expired';
  }
  if (token.generation === row.generation) {
    const event = auditValues({ action: 'token_refreshed', actorId: row.user_id, at: now, ip });
    await tx.query(ROTATE, [token.sessionId, rotationsOf(row, now, config.reuseSeconds), ...event]);
    return { row, generation: row.generation + 1 };
  }
  if (mayReuse(row, token.generation, now, config.reuseSeconds)) return { row, generation: row.generation };
  await endSession(tx, 'token_reused', { row, id: token.sessionId, at: now, ip });
  return 'reused';
}

/** Returns the rotation times to store: those within the reuse time, and this one. */
function rotationsOf(row: SessionRow, now: Date, reuseSeconds: number): Date[] {
  const reuseStart = now.getTime() - reuseSeconds * 1000;
  return [...row.rotated_at.filter((at) => at.getTime() > reuseStart), now].slice(-ROTATIONS_MAX);
}

/** Whether an earlier token returns the newest again: the one before it always, older ones within the reuse time. */
function mayReuse(row: SessionRow, generation: number, now: Date, reuseSeconds: number): boolean {
  if (generation === row.generation - 1) return true;
  // The last rotation time is that of the token before the newest.
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
