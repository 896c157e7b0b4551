import { randomUUID } from 'node:crypto';
import type { Database, Transaction } from '#server/db/database.ts';
import type { Clock } from '#server/http/caller.ts';
import type { Keys } from '#server/crypto/keys.ts';
import type { LimitKey } from '#server/http/limits.ts';
import type { SessionWatch } from '#server/http/token.ts';
import type { AuthConfig } from '../core/config.ts';
import { AuthRefusal } from '../core/errors.ts';
import type { RequestInfo, Person } from '../core/request.ts';
import { entryOf, record } from '../core/audit-log.ts';
import { isBanned, type UserRow, userById } from '../accounts/users.ts';
import { createRefreshTokens } from './refresh-tokens.ts';
import { createSessionResponse, type SessionMethod } from './session-response.ts';

/** How a session began, with hosted Supabase's names. */
export type SignInMethod =
  | 'password'
  | 'otp'
  | 'recovery'
  | 'magiclink'
  | 'invite'
  | 'email/signup'
  | 'email_change'
  | 'anonymous'
  | 'oauth'
  | 'sso/saml'
  | 'web3'
  | 'passkey';
export type SignOutScope = 'global' | 'local' | 'others';
export type Sessions = {
  /** Begins a session and returns its response. Gives back the `tries` of a limit. */
  begin(user: UserRow, method: SignInMethod, request: RequestInfo, tries: LimitKey): Promise<Record<string, unknown>>;
  /** Begins a session in a transaction. Call `forget` with `ended` after the commit. */
  beginIn(
    tx: Transaction,
    user: UserRow,
    method: SignInMethod,
    request: RequestInfo,
  ): Promise<{ answer: Record<string, unknown>; ended: readonly string[] }>;
  /** Rotates a refresh token and returns a new session response. A token that was rotated long ago ends its session. */
  refresh(token: string, ip: string): Promise<Record<string, unknown>>;
  /** Adds a proven method to the session and returns the session at its new level. */
  raise(
    tx: Transaction,
    person: Person,
    shown: { method: string; aal: 'aal1' | 'aal2' },
  ): Promise<Record<string, unknown>>;
  /** Ends sessions in a transaction. Call `forget` with the result after the commit, so that they end here at once. */
  end(tx: Transaction, person: Person, scope: SignOutScope, ip: string): Promise<readonly string[]>;
  /** Ends all sessions of an account. The caller's transaction logs why. */
  endAll(tx: Transaction, userId: string): Promise<readonly string[]>;
  forget(sessionIds: readonly string[]): void;
};

const NOT_FOUND = new AuthRefusal(400, 'refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found');
const NO_SESSION = new AuthRefusal(403, 'session_not_found', 'Session from session_id claim in JWT does not exist');
/** Rotation times stored per session. No honest client rotates more often than this within the reuse time. */
const ROTATIONS_MAX = 32;

type SessionRow = {
  user_id: string;
  generation: number;
  rotated_at: Date[];
  method: string;
  aal: string;
  amr: SessionMethod[];
  created_at: Date;
  refreshed_at: Date;
};

/** Serialises sign-ins of one account, so that each sees the session it must end. */
const LOCK_USER = 'select from auth.users where id = $1::uuid for update';

/** One statement: inserts a session, its sign-in time and its audit log entry, and gives tries back. Returns the sessions it ends. */
const BEGIN = `with ended as (delete from auth.sessions where user_id = $2::uuid and $6::boolean returning id),
  begun as (
    insert into auth.sessions (id, user_id, created_at, refreshed_at, method, user_agent, ip)
    values ($1::uuid, $2::uuid, $9::timestamptz, $9::timestamptz, $3, $4, $5)
  ),
  seen as (update auth.users set last_sign_in_at = $9::timestamptz where id = $2::uuid),
  logged as (insert into auth.audit_log_entries (payload, ip_address, created_at) values ($7::jsonb, $8, $9::timestamptz)),
  tried as (delete from private.rate_bucket where name = $10 and key = $11)
  select id from ended`;

/** Increases the number of a session, and writes its audit log entry. */
const ROTATE = `with rotated as (
    update auth.sessions set generation = generation + 1, refreshed_at = $5::timestamptz, rotated_at = $2::timestamptz[] where id = $1::uuid
  )
  insert into auth.audit_log_entries (payload, ip_address, created_at) values ($3::jsonb, $4, $5::timestamptz)`;

/**
 * Refresh tokens are derived; the session stores only the newest number.
 * The newest token is rotated. The one before it returns the newest again, so a lost response signs nobody out and two hundred tabs that
 * refresh at once end with the same token. An older one does the same for `reuseSeconds` after its rotation, for slow concurrent requests.
 * After that it counts as stolen, and the session ends.
 */
export function createSessions(dependencies: {
  db: Database;
  keys: Keys;
  watch: SessionWatch;
  clock: Clock;
  config: AuthConfig;
}): Sessions {
  const { db, watch, clock, config } = dependencies;
  const tokens = createRefreshTokens(dependencies.keys);
  const answer = createSessionResponse({ ...dependencies, tokens });

  /** Checks a presented number, and rotates the session when the number is the newest. */
  async function advance(
    tx: Transaction,
    sessionId: string,
    generation: number,
    ip: string,
  ): Promise<{ row: SessionRow; generation: number } | 'reused' | 'over' | null> {
    const row = await tx.one<SessionRow>(
      `select user_id, generation, rotated_at, method, aal, amr, created_at, refreshed_at from auth.sessions where id = $1::uuid for update`,
      [sessionId],
    );
    // A number that was never issued comes from before a restored backup: unknown here.
    if (!row || generation > row.generation) return null;
    const now = clock();
    if (isOver(row, now, config)) {
      await tx.query(`delete from auth.sessions where id = $1::uuid`, [sessionId]);
      await record(tx, {
        action: 'session_expired',
        actorId: row.user_id,
        at: now,
        ip,
        details: { session_id: sessionId },
      });
      return 'over';
    }
    if (generation === row.generation) {
      const reuseStart = now.getTime() - config.reuseSeconds * 1000;
      const rotations = [...row.rotated_at.filter((at) => at.getTime() > reuseStart), now].slice(-ROTATIONS_MAX);
      await tx.query(ROTATE, [
        sessionId,
        rotations,
        ...entryOf({ action: 'token_refreshed', actorId: row.user_id, at: now, ip }),
      ]);
      return { row, generation: generation + 1 };
    }
    // The last of `rotated_at` is when the number before the newest was rotated.
    const rotatedAt = row.rotated_at.at(generation - row.generation);
    const withinReuse = rotatedAt !== undefined && now.getTime() - rotatedAt.getTime() < config.reuseSeconds * 1000;
    if (generation === row.generation - 1 || withinReuse) return { row, generation: row.generation };
    await tx.query(`delete from auth.sessions where id = $1::uuid`, [sessionId]);
    await record(tx, { action: 'token_reused', actorId: row.user_id, at: now, ip, details: { session_id: sessionId } });
    return 'reused';
  }

  async function beginIn(
    tx: Transaction,
    user: UserRow,
    method: SignInMethod,
    request: RequestInfo,
    tries?: LimitKey,
  ): Promise<{ answer: Record<string, unknown>; ended: readonly string[] }> {
    if (config.singleSession) await tx.query(LOCK_USER, [user.id]);
    const now = clock();
    const id = randomUUID();
    const login = entryOf({ action: 'login', actorId: user.id, at: now, ip: request.ip, details: { method } });
    const session = [id, user.id, method, request.userAgent?.slice(0, 300) ?? null, request.ip];
    const back = [tries?.limit.name ?? null, tries?.key ?? null];
    const { rows } = await tx.query<{ id: string }>(BEGIN, [...session, config.singleSession, ...login, ...back]);
    const ended = rows.map((row) => row.id);
    const state = { id, generation: 0, aal: 'aal1', amr: methodsOf({ method, created_at: now, amr: [] }) };
    return { answer: answer({ ...user, last_sign_in_at: now }, state), ended };
  }

  return {
    beginIn,
    async begin(user, method, request, tries) {
      const begin = (tx: Transaction) => beginIn(tx, user, method, request, tries);
      const begun = await (config.singleSession ? db.transaction(begin) : begin(db));
      watch.forget(begun.ended);
      return begun.answer;
    },
    async refresh(token, ip) {
      const read = tokens.read(token);
      if (!read) throw NOT_FOUND;
      const advanced = await db.transaction((tx) => advance(tx, read.sessionId, read.generation, ip));
      if (advanced === null) throw NOT_FOUND;
      if (advanced === 'reused' || advanced === 'over') {
        watch.forget([read.sessionId]);
        throw advanced === 'over'
          ? new AuthRefusal(400, 'session_expired', 'Invalid Refresh Token: Session Expired')
          : new AuthRefusal(400, 'refresh_token_already_used', 'Invalid Refresh Token: Already Used');
      }
      const user = await userById(db, advanced.row.user_id);
      if (!user || isBanned(user, clock())) throw new AuthRefusal(403, 'user_banned', 'User is banned');
      const { aal } = advanced.row;
      return answer(user, { id: read.sessionId, generation: advanced.generation, aal, amr: methodsOf(advanced.row) });
    },
    async raise(tx, { userId, sessionId }, { method, aal }) {
      const shown: SessionMethod = { method, timestamp: Math.floor(clock().getTime() / 1000) };
      const row = await tx.one<SessionRow>(
        `update auth.sessions set aal = greatest(aal, $3), amr = $4::jsonb || amr where id = $1::uuid and user_id = $2::uuid
         returning user_id, generation, rotated_at, method, aal, amr, created_at, refreshed_at`,
        [sessionId, userId, aal, JSON.stringify([shown])],
      );
      const user = await userById(tx, userId);
      if (!row || !user) throw NO_SESSION;
      return answer(user, { id: sessionId, generation: row.generation, aal: row.aal, amr: methodsOf(row) });
    },
    async end(tx, { userId, sessionId }, scope, ip) {
      const { rows } = await tx.query<{ id: string }>(
        `delete from auth.sessions where user_id = $1::uuid and (case $3 when 'local' then id = $2::uuid when 'others' then id <> $2::uuid else true end) returning id`,
        [userId, sessionId, scope],
      );
      await record(tx, { action: 'logout', actorId: userId, at: clock(), ip, details: { scope } });
      return rows.map((row) => row.id);
    },
    endAll,
    forget: (ids) => watch.forget(ids),
  };
}

/** Returns the methods of a session, newest first; the sign-in is the last. */
function methodsOf(row: Pick<SessionRow, 'method' | 'created_at' | 'amr'>): SessionMethod[] {
  const method = row.method === 'recovery' ? 'otp' : row.method;
  return [...row.amr, { method, timestamp: Math.floor(row.created_at.getTime() / 1000) }];
}

/** Whether a session has expired, by its age or by inactivity. */
function isOver(row: Pick<SessionRow, 'created_at' | 'refreshed_at'>, now: Date, config: AuthConfig): boolean {
  const past = (from: Date, seconds: number | null): boolean =>
    seconds !== null && now.getTime() - from.getTime() > seconds * 1000;
  return past(row.created_at, config.sessionSeconds) || past(row.refreshed_at, config.inactivitySeconds);
}

/** Creates the check whether a session is alive: its user is neither deleted nor banned, and it has not expired. */
export function createSessionCheck(dependencies: {
  db: Database;
  clock: Clock;
  config: Pick<AuthConfig, 'sessionSeconds' | 'inactivitySeconds'>;
}): (sessionId: string) => Promise<boolean> {
  const { db, clock, config } = dependencies;
  return async (sessionId) => {
    const now = clock();
    const since = (seconds: number | null): Date =>
      seconds === null ? new Date(0) : new Date(now.getTime() - seconds * 1000);
    const row = await db.one(
      `select 1 from auth.sessions s join auth.users u on u.id = s.user_id
       where s.id = $1::uuid and u.deleted_at is null and (u.banned_until is null or u.banned_until < $2::timestamptz)
         and s.created_at >= $3::timestamptz and s.refreshed_at >= $4::timestamptz`,
      [sessionId, now, since(config.sessionSeconds), since(config.inactivitySeconds)],
    );
    return row !== null;
  };
}

async function endAll(tx: Transaction, userId: string): Promise<readonly string[]> {
  const { rows } = await tx.query<{ id: string }>('delete from auth.sessions where user_id = $1::uuid returning id', [
    userId,
  ]);
  return rows.map((row) => row.id);
}
