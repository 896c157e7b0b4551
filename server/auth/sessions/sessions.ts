import { randomUUID } from 'node:crypto';
import type { Database, Transaction } from '#server/db/database.ts';
import type { Clock } from '#server/http/caller.ts';
import type { Keys } from '#server/crypto/keys.ts';
import type { Takes } from '#server/http/limits.ts';
import type { SessionWatch } from '#server/http/token.ts';
import type { AuthConfig } from '../core/config.ts';
import { AuthRefusal } from '../core/errors.ts';
import type { From, Person } from '../core/request.ts';
import { entryOf, record } from '../core/audit-log.ts';
import { isBanned, type UserRow, userById } from '../accounts/users.ts';
import { createRefreshTokens } from './refresh-tokens.ts';
import { createSessionResponse, type ShownMethod } from './session-response.ts';

/** How a session began, in hosted Supabase's words. */
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
  /** Begins a session and answers it as the wire wants it; `tries` of a limit are given back with it. */
  begin(user: UserRow, method: SignInMethod, from: From, tries: Takes): Promise<Record<string, unknown>>;
  /** The same as part of a transaction; call `forget` with `ended` once that is committed. */
  beginIn(
    tx: Transaction,
    user: UserRow,
    method: SignInMethod,
    from: From,
  ): Promise<{ answer: Record<string, unknown>; ended: readonly string[] }>;
  /** Trades a refresh token for a new session answer; a token that was used long ago ends its session (promises G24, G25). */
  refresh(token: string, ip: string): Promise<Record<string, unknown>>;
  /** Notes that somebody showed more than at the start, and answers the session with its new level. */
  raise(
    tx: Transaction,
    person: Person,
    shown: { method: string; aal: 'aal1' | 'aal2' },
  ): Promise<Record<string, unknown>>;
  /** Ends sessions in a transaction; call `forget` with what it answers once that is committed, and they end here at once. */
  end(tx: Transaction, person: Person, scope: SignOutScope, ip: string): Promise<readonly string[]>;
  /** Ends every session of an account, as part of a transaction that says why. */
  endAll(tx: Transaction, userId: string): Promise<readonly string[]>;
  forget(sessionIds: readonly string[]): void;
};

const NOT_FOUND = new AuthRefusal(400, 'refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found');
const NO_SESSION = new AuthRefusal(403, 'session_not_found', 'Session from session_id claim in JWT does not exist');
/** Times of trade kept per session: more trades than this within the reuse time are no honest client's. */
const TRADES_KEPT = 32;

type SessionRow = {
  user_id: string;
  generation: number;
  traded_at: Date[];
  method: string;
  aal: string;
  amr: ShownMethod[];
  created_at: Date;
  refreshed_at: Date;
};

/** Of sign-ins at the same instant each waits for the one before, so that it sees the session it has to end. */
const HOLD = 'select from auth.users where id = $1::uuid for update';

/** A session, when it was, its entry in the trail and the tries given back, in one statement; answers the sessions it ends. */
const BEGIN = `with ended as (delete from auth.sessions where user_id = $2::uuid and $6::boolean returning id),
  begun as (
    insert into auth.sessions (id, user_id, created_at, refreshed_at, method, user_agent, ip)
    values ($1::uuid, $2::uuid, $9::timestamptz, $9::timestamptz, $3, $4, $5)
  ),
  seen as (update auth.users set last_sign_in_at = $9::timestamptz where id = $2::uuid),
  told as (insert into auth.audit_log_entries (payload, ip_address, created_at) values ($7::jsonb, $8, $9::timestamptz)),
  tried as (delete from private.rate_bucket where name = $10 and key = $11)
  select id from ended`;

/** The next number of a session, and its entry in the trail. */
const TRADE = `with traded as (
    update auth.sessions set generation = generation + 1, refreshed_at = $5::timestamptz, traded_at = $2::timestamptz[] where id = $1::uuid
  )
  insert into auth.audit_log_entries (payload, ip_address, created_at) values ($3::jsonb, $4, $5::timestamptz)`;

/**
 * Refresh tokens are derived, and the session knows the newest number. The newest is traded for the next one; the one before it answers
 * the newest again, so that a lost answer signs nobody out and two hundred tabs refreshing at once all end with the same token; an older
 * one does too for `reuseSeconds` after it was traded, as a slow twin of the honest request; later than that it is a copy in wrong hands,
 * and the session ends.
 */
export function createSessions(parts: {
  db: Database;
  keys: Keys;
  watch: SessionWatch;
  clock: Clock;
  config: AuthConfig;
}): Sessions {
  const { db, watch, clock, config } = parts;
  const tokens = createRefreshTokens(parts.keys);
  const answer = createSessionResponse({ ...parts, tokens });

  /** What a presented number means; moves the session on when it is the newest. */
  async function advance(
    tx: Transaction,
    sessionId: string,
    generation: number,
    ip: string,
  ): Promise<{ row: SessionRow; generation: number } | 'reused' | 'over' | null> {
    const row = await tx.one<SessionRow>(
      `select user_id, generation, traded_at, method, aal, amr, created_at, refreshed_at from auth.sessions where id = $1::uuid for update`,
      [sessionId],
    );
    // A number that was never handed out can only come from before a restored backup: not known here.
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
      const honest = now.getTime() - config.reuseSeconds * 1000;
      const trades = [...row.traded_at.filter((at) => at.getTime() > honest), now].slice(-TRADES_KEPT);
      await tx.query(TRADE, [
        sessionId,
        trades,
        ...entryOf({ action: 'token_refreshed', actorId: row.user_id, at: now, ip }),
      ]);
      return { row, generation: generation + 1 };
    }
    // The last of `traded_at` is when the number before the newest was traded.
    const traded = row.traded_at.at(generation - row.generation);
    const twin = traded !== undefined && now.getTime() - traded.getTime() < config.reuseSeconds * 1000;
    if (generation === row.generation - 1 || twin) return { row, generation: row.generation };
    await tx.query(`delete from auth.sessions where id = $1::uuid`, [sessionId]);
    await record(tx, { action: 'token_reused', actorId: row.user_id, at: now, ip, details: { session_id: sessionId } });
    return 'reused';
  }

  async function beginIn(
    tx: Transaction,
    user: UserRow,
    method: SignInMethod,
    from: From,
    tries?: Takes,
  ): Promise<{ answer: Record<string, unknown>; ended: readonly string[] }> {
    if (config.singleSession) await tx.query(HOLD, [user.id]);
    const now = clock();
    const id = randomUUID();
    const login = entryOf({ action: 'login', actorId: user.id, at: now, ip: from.ip, details: { method } });
    const session = [id, user.id, method, from.userAgent?.slice(0, 300) ?? null, from.ip];
    const back = [tries?.limit.name ?? null, tries?.key ?? null];
    const { rows } = await tx.query<{ id: string }>(BEGIN, [...session, config.singleSession, ...login, ...back]);
    const ended = rows.map((row) => row.id);
    const standing = { id, generation: 0, aal: 'aal1', amr: shownIn({ method, created_at: now, amr: [] }) };
    return { answer: answer({ ...user, last_sign_in_at: now }, standing), ended };
  }

  return {
    beginIn,
    async begin(user, method, from, tries) {
      const begin = (tx: Transaction) => beginIn(tx, user, method, from, tries);
      const begun = await (config.singleSession ? db.transaction(begin) : begin(db));
      watch.forget(begun.ended);
      return begun.answer;
    },
    async refresh(token, ip) {
      const read = tokens.read(token);
      if (!read) throw NOT_FOUND;
      const moved = await db.transaction((tx) => advance(tx, read.sessionId, read.generation, ip));
      if (moved === null) throw NOT_FOUND;
      if (moved === 'reused' || moved === 'over') {
        watch.forget([read.sessionId]);
        throw moved === 'over'
          ? new AuthRefusal(400, 'session_expired', 'Invalid Refresh Token: Session Expired')
          : new AuthRefusal(400, 'refresh_token_already_used', 'Invalid Refresh Token: Already Used');
      }
      const user = await userById(db, moved.row.user_id);
      if (!user || isBanned(user, clock())) throw new AuthRefusal(403, 'user_banned', 'User is banned');
      const { aal } = moved.row;
      return answer(user, { id: read.sessionId, generation: moved.generation, aal, amr: shownIn(moved.row) });
    },
    async raise(tx, { userId, sessionId }, { method, aal }) {
      const shown: ShownMethod = { method, timestamp: Math.floor(clock().getTime() / 1000) };
      const row = await tx.one<SessionRow>(
        `update auth.sessions set aal = greatest(aal, $3), amr = $4::jsonb || amr where id = $1::uuid and user_id = $2::uuid
         returning user_id, generation, traded_at, method, aal, amr, created_at, refreshed_at`,
        [sessionId, userId, aal, JSON.stringify([shown])],
      );
      const user = await userById(tx, userId);
      if (!row || !user) throw NO_SESSION;
      return answer(user, { id: sessionId, generation: row.generation, aal: row.aal, amr: shownIn(row) });
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

/** What was shown, newest first; the way in is the last. */
function shownIn(row: Pick<SessionRow, 'method' | 'created_at' | 'amr'>): ShownMethod[] {
  const method = row.method === 'recovery' ? 'otp' : row.method;
  return [...row.amr, { method, timestamp: Math.floor(row.created_at.getTime() / 1000) }];
}

/** Whether a session's time is up, by its age or by lying idle. */
function isOver(row: Pick<SessionRow, 'created_at' | 'refreshed_at'>, now: Date, config: AuthConfig): boolean {
  const past = (from: Date, seconds: number | null): boolean =>
    seconds !== null && now.getTime() - from.getTime() > seconds * 1000;
  return past(row.created_at, config.sessionSeconds) || past(row.refreshed_at, config.inactivitySeconds);
}

/** Whether a session lives: its person is neither deleted nor banned, and its time is not up. For the watch at every door. */
export function createSessionCheck(parts: {
  db: Database;
  clock: Clock;
  config: Pick<AuthConfig, 'sessionSeconds' | 'inactivitySeconds'>;
}): (sessionId: string) => Promise<boolean> {
  const { db, clock, config } = parts;
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
