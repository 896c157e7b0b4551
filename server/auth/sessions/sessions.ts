import { randomUUID, timingSafeEqual } from 'node:crypto';
import type { Database, Transaction } from '#server/db/database.ts';
import type { Clock } from '#server/http/caller.ts';
import type { Keys } from '#server/http/keys.ts';
import type { SessionWatch } from '#server/http/token.ts';
import type { AuthConfig } from '../auth-config.ts';
import { AuthRefusal } from '../errors.ts';
import type { From, Person } from '../request.ts';
import { record } from '../trail.ts';
import { toUser, type UserRow, userById } from '../accounts/users.ts';

export type SignInMethod = 'password' | 'otp' | 'recovery' | 'oauth' | 'passkey' | 'web3' | 'sso/saml';
type Proof = { readonly method: string; readonly timestamp: number };
/** A session as a transaction leaves it. */
type Standing = {
  readonly user: UserRow;
  readonly sessionId: string;
  readonly generation: number;
  readonly aal: 'aal1' | 'aal2';
  /** Newest first. */
  readonly amr: readonly Proof[];
};
export type Sessions = {
  /** Begins a session and answers it as the wire wants it. */
  begin(user: UserRow, method: SignInMethod, from: From): Promise<Record<string, unknown>>;
  /** The same as part of a transaction; call `forget` with `ended` once that is committed. */
  beginIn(
    tx: Transaction,
    user: UserRow,
    method: SignInMethod,
    from: From,
  ): Promise<{ answer: Record<string, unknown>; ended: readonly string[] }>;
  /** Notes that somebody showed more than at the start, and answers the session with its new level. */
  raise(
    tx: Transaction,
    person: Person,
    shown: { method: string; aal: 'aal1' | 'aal2' },
  ): Promise<Record<string, unknown>>;
  /** Trades a refresh token for a new session answer; a token that was used long ago ends its session (promises G24, G25). */
  refresh(token: string, ip: string): Promise<Record<string, unknown>>;
  /** Ends sessions in a transaction; call `forget` with what it answers once that is committed, and they end here at once. */
  end(tx: Transaction, person: Person, scope: SignOutScope, ip: string): Promise<readonly string[]>;
  forget(sessionIds: readonly string[]): void;
};
export type SignOutScope = 'global' | 'local' | 'others';

const NO_SESSION = new AuthRefusal(403, 'session_not_found', 'Session from session_id claim in JWT does not exist');
const NOT_FOUND = new AuthRefusal(400, 'refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found');
/** Times of trade kept per session: more trades than this within the reuse time are no honest client's. */
const TRADES_KEPT = 32;
const MARK_BYTES = 16;

type SessionRow = {
  user_id: string;
  generation: number;
  traded_at: Date[];
  method: SignInMethod;
  created_at: Date;
  aal: 'aal1' | 'aal2';
  /** What was shown after the session began, newest first. */
  amr: readonly Proof[];
};
const SESSION = 'user_id, generation, traded_at, method, created_at, aal, amr';

/**
 * Refresh tokens are not stored: a token is its session's id, its number and a keyed mark, and the session knows the newest number.
 * The newest is traded for the next one; the one before it answers the newest again, so that a lost answer signs nobody out and
 * two hundred tabs refreshing at once all end with the same token; an older one does too for `reuseSeconds` after it was traded, as a
 * slow twin of the honest request; later than that it is a copy in wrong hands, and the session ends.
 */
export function createSessions(parts: {
  db: Database;
  keys: Keys;
  watch: SessionWatch;
  clock: Clock;
  config: AuthConfig;
}): Sessions {
  const { db, keys, watch, clock, config } = parts;

  function mark(sessionId: string, generation: number): Buffer {
    return keys.hmac('refresh-token', `${sessionId}:${generation}`).subarray(0, MARK_BYTES);
  }
  function tokenOf(sessionId: string, generation: number): string {
    const bytes = Buffer.alloc(20 + MARK_BYTES);
    bytes.write(sessionId.replaceAll('-', ''), 0, 'hex');
    bytes.writeUInt32BE(generation, 16);
    mark(sessionId, generation).copy(bytes, 20);
    return bytes.toString('base64url');
  }
  function readToken(token: string): { sessionId: string; generation: number } | null {
    const bytes = Buffer.from(token, 'base64url');
    if (bytes.length !== 20 + MARK_BYTES) return null;
    const hex = bytes.subarray(0, 16).toString('hex');
    const sessionId = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
    const generation = bytes.readUInt32BE(16);
    return timingSafeEqual(bytes.subarray(20), mark(sessionId, generation)) ? { sessionId, generation } : null;
  }

  async function answer(standing: Standing): Promise<Record<string, unknown>> {
    const { user, sessionId, generation, aal, amr } = standing;
    const now = clock();
    const seconds = config.accessTokenSeconds;
    const access = await keys.sign(
      {
        iss: `${config.apiUrl}/auth/v1`,
        sub: user.id,
        aud: 'authenticated',
        role: 'authenticated',
        email: user.email,
        phone: '',
        session_id: sessionId,
        is_anonymous: false,
        aal,
        amr,
        app_metadata: user.raw_app_meta_data,
        user_metadata: user.raw_user_meta_data,
        jti: randomUUID(),
      },
      seconds,
      now,
    );
    return {
      access_token: access,
      token_type: 'bearer',
      expires_in: seconds,
      expires_at: Math.floor(now.getTime() / 1000) + seconds,
      refresh_token: tokenOf(sessionId, generation),
      user: toUser(user),
    };
  }

  /** The proofs of a session for `amr`, newest first. */
  function proofsOf(row: Pick<SessionRow, 'method' | 'created_at' | 'amr'>): readonly Proof[] {
    const method = row.method === 'recovery' ? 'otp' : row.method;
    return [...row.amr, { method, timestamp: Math.floor(row.created_at.getTime() / 1000) }];
  }

  /** What a presented number means; moves the session on when it is the newest. */
  async function advance(
    tx: Transaction,
    sessionId: string,
    generation: number,
    ip: string,
  ): Promise<{ row: SessionRow; generation: number } | 'ended' | null> {
    const row = await tx.one<SessionRow>(`select ${SESSION} from auth.sessions where id = $1::uuid for update`, [
      sessionId,
    ]);
    // A number that was never handed out can only come from before a restored backup: not known here.
    if (!row || generation > row.generation) return null;
    const now = clock();
    if (generation === row.generation) {
      const honest = now.getTime() - config.reuseSeconds * 1000;
      const trades = [...row.traded_at.filter((at) => at.getTime() > honest), now].slice(-TRADES_KEPT);
      await tx.query(
        `update auth.sessions set generation = generation + 1, refreshed_at = $2::timestamptz, traded_at = $3::timestamptz[] where id = $1::uuid`,
        [sessionId, now, trades],
      );
      await record(tx, { action: 'token_refreshed', actorId: row.user_id, at: now, ip });
      return { row, generation: generation + 1 };
    }
    // The last of `traded_at` is when the number before the newest was traded.
    const traded = row.traded_at.at(generation - row.generation);
    const twin = traded !== undefined && now.getTime() - traded.getTime() < config.reuseSeconds * 1000;
    if (generation === row.generation - 1 || twin) return { row, generation: row.generation };
    await tx.query(`delete from auth.sessions where id = $1::uuid`, [sessionId]);
    await record(tx, { action: 'token_reused', actorId: row.user_id, at: now, ip, details: { session_id: sessionId } });
    return 'ended';
  }

  async function beginIn(
    tx: Transaction,
    user: UserRow,
    method: SignInMethod,
    from: From,
  ): Promise<{ answer: Record<string, unknown>; ended: readonly string[] }> {
    const now = clock();
    const id = randomUUID();
    await tx.query(
      `insert into auth.sessions (id, user_id, created_at, refreshed_at, method, user_agent, ip) values ($1::uuid, $2::uuid, $3::timestamptz, $3::timestamptz, $4, $5, $6)`,
      [id, user.id, now, method, from.userAgent?.slice(0, 300) ?? null, from.ip],
    );
    await tx.query(`update auth.users set last_sign_in_at = $2::timestamptz where id = $1::uuid`, [user.id, now]);
    await record(tx, { action: 'login', actorId: user.id, at: now, ip: from.ip, details: { method } });
    const amr = proofsOf({ method, created_at: now, amr: [] });
    const signedIn = { ...user, last_sign_in_at: now };
    return { answer: await answer({ user: signedIn, sessionId: id, generation: 0, aal: 'aal1', amr }), ended: [] };
  }

  return {
    begin: async (user, method, from) => (await db.transaction((tx) => beginIn(tx, user, method, from))).answer,
    beginIn,
    async raise(tx, { userId, sessionId }, { method, aal }) {
      const shown = [{ method, timestamp: Math.floor(clock().getTime() / 1000) }];
      const row = await tx.one<SessionRow>(
        `update auth.sessions set aal = greatest(aal, $3), amr = $4::jsonb || amr where id = $1::uuid and user_id = $2::uuid
         returning ${SESSION}`,
        [sessionId, userId, aal, JSON.stringify(shown)],
      );
      const user = await userById(tx, userId);
      if (!row || !user) throw NO_SESSION;
      return answer({ user, sessionId, generation: row.generation, aal: row.aal, amr: proofsOf(row) });
    },
    async refresh(token, ip) {
      const read = readToken(token);
      if (!read) throw NOT_FOUND;
      const moved = await db.transaction((tx) => advance(tx, read.sessionId, read.generation, ip));
      if (moved === null) throw NOT_FOUND;
      if (moved === 'ended') {
        watch.forget([read.sessionId]);
        throw new AuthRefusal(400, 'refresh_token_already_used', 'Invalid Refresh Token: Already Used');
      }
      const user = await userById(db, moved.row.user_id);
      if (!user || (user.banned_until && user.banned_until > clock()))
        throw new AuthRefusal(403, 'user_banned', 'User is banned');
      const { aal } = moved.row;
      return answer({
        user,
        sessionId: read.sessionId,
        generation: moved.generation,
        aal,
        amr: proofsOf(moved.row),
      });
    },
    async end(tx, { userId, sessionId }, scope, ip) {
      const { rows } = await tx.query<{ id: string }>(
        `delete from auth.sessions where user_id = $1::uuid and (case $3 when 'local' then id = $2::uuid when 'others' then id <> $2::uuid else true end) returning id`,
        [userId, sessionId, scope],
      );
      await record(tx, { action: 'logout', actorId: userId, at: clock(), ip, details: { scope } });
      return rows.map((row) => row.id);
    },
    forget: (ids) => watch.forget(ids),
  };
}
