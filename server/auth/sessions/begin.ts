import { randomUUID } from 'node:crypto';
import type { Transaction } from '#server/db/database.ts';
import type { LimitKey } from '#server/http/limits.ts';
import { lockUser, type UserRow } from '../accounts/users.ts';
import { auditValues } from '../core/audit-log.ts';
import type { RequestInfo } from '../core/request.ts';
import { type SessionResponse, sessionResponse } from './session-response.ts';
import { sessionMethods, type SignInMethod } from './session-rows.ts';
import type { AuthContext } from '../core/context.ts';

/** A new session, and the sessions that it ended. */
export type BegunSession = { readonly response: SessionResponse; readonly ended: readonly string[] };

/**
 * One statement that inserts a session, its sign-in time and its audit log entry, and resets the counted attempts. Returns the sessions
 * that it ends.
 */
const BEGIN = `with ended as (delete from auth.sessions where user_id = $2::uuid and $6::boolean returning id),
  begun as (
    insert into auth.sessions (id, user_id, created_at, refreshed_at, method, user_agent, ip)
    values ($1::uuid, $2::uuid, $9::timestamptz, $9::timestamptz, $3, $4, $5)
  ),
  seen as (update auth.users set last_sign_in_at = $9::timestamptz where id = $2::uuid),
  logged as (insert into auth.audit_log_entries (payload, ip_address, created_at) values ($7::jsonb, $8, $9::timestamptz)),
  attempts as (delete from private.rate_bucket where name = $10 and key = $11)
  select id from ended`;

/** Begins a session and returns its response. Resets the limit `attempts`. */
export async function beginSession(
  context: AuthContext,
  user: UserRow,
  method: SignInMethod,
  request: RequestInfo,
  attempts: LimitKey,
): Promise<SessionResponse> {
  const { db, config, sessions } = context;
  const begin = (tx: Transaction) => beginSessionIn(context, tx, user, method, request, attempts);
  const begun = await (config.singleSession ? db.transaction(begin) : begin(db));
  sessions.forget(begun.ended);
  return begun.response;
}

/** Begins a session in a transaction. Drop the `ended` sessions from the cache after the commit. */
export async function beginSessionIn(
  context: AuthContext,
  tx: Transaction,
  user: UserRow,
  method: SignInMethod,
  request: RequestInfo,
  attempts?: LimitKey,
): Promise<BegunSession> {
  const { clock, config } = context;
  // Sign-ins of one account are serialised, so that each sees the session that it must end.
  if (config.singleSession) await lockUser(tx, user.id);
  const now = clock();
  const id = randomUUID();
  const login = auditValues({ action: 'login', actorId: user.id, at: now, ip: request.ip, details: { method } });
  const session = [id, user.id, method, request.userAgent?.slice(0, 300) ?? null, request.ip];
  const limit = [attempts?.limit.name ?? null, attempts?.key ?? null];
  const { rows } = await tx.query<{ id: string }>(BEGIN, [...session, config.singleSession, ...login, ...limit]);
  const state = { id, generation: 0, aal: 'aal1', amr: sessionMethods({ method, created_at: now, amr: [] }) };
  return {
    response: sessionResponse(context, { ...user, last_sign_in_at: now }, state),
    ended: rows.map((row) => row.id),
  };
}
