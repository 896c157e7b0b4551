import { createEndOfTurn } from '#server/db/scheduling/end-of-turn.ts';
import { USER_COLUMNS, type UserRow } from '../accounts/users.ts';
import type { Lifetimes } from '../core/config.ts';
import type { Clock } from '#server/http/caller.ts';
import type { RefreshToken } from './refresh-tokens.ts';
import type { SessionRow } from './session-rows.ts';
import type { Queryable } from '#server/db/database.ts';

/** A refresh token to rotate, and the IP address of the request. */
export type Rotation = { readonly token: RefreshToken; readonly ip: string };
/** The present instant, the start of the reuse time, and the earliest allowed beginning and last use of a session. */
export type RotationTimes = readonly [now: Date, reuse: Date, begun: Date, used: Date];
/** The session of a rotated token and its user; the user's columns are null if the account has been deleted. */
export type RotatedRow = { readonly generation: number; readonly began_at: Date } & Pick<
  SessionRow,
  'method' | 'aal' | 'amr'
> &
  (UserRow | { readonly id: null });

/**
 * Rotates the newest token of a session. Returns null if the token is not the newest, or if the session has ended, has expired or is
 * locked.
 */
export type Rotate = (rotation: Rotation) => Promise<RotatedRow | null>;

/** Maximum number of rotation times stored per session. No honest client rotates more often within the reuse time. */
const ROTATIONS_MAX = 32;
/** Maximum number of tokens per statement. It limits the delay of the first token, which waits for the last. */
const TOKENS_MAX = 16;
/** Maximum number of concurrent statements. Refreshes that arrive meanwhile share the next statement. */
const STATEMENTS_MAX = 2;

/** The columns that a rotation sets. $1: the present instant; $2: the time before which rotation times are dropped. */
const CHANGE = `generation = s.generation + 1, refreshed_at = $1::timestamptz, rotated_at = (
    select coalesce(array_agg(kept.at order by kept.n), '{}') from (
      select r.at, r.n from unnest(s.rotated_at) with ordinality r (at, n) where r.at > $2::timestamptz order by r.n desc limit ${ROTATIONS_MAX - 1}
    ) kept) || $1::timestamptz`;
const RETURNED = 's.user_id, s.generation, s.method, s.aal, s.amr, s.created_at';
const LOGGED = `logged as (
    insert into auth.audit_log_entries (payload, ip_address, created_at)
    select jsonb_build_object('action', 'token_refreshed', 'actor_id', r.user_id), r.ip, $1::timestamptz from rotated r
  )
  select r.n, r.generation, r.method, r.aal, r.amr, r.created_at as began_at, ${USER_COLUMNS}
  from rotated r left join auth.users u on u.id = r.user_id and u.deleted_at is null`;
/**
 * $3 and $4: the earliest allowed beginning and last use. Locked sessions are skipped, so that no refresh waits for another session's lock.
 */
const NEWEST = `h.created_at >= $3::timestamptz and h.refreshed_at >= $4::timestamptz for no key update of h skip locked`;
const ROTATE_ONE = `with rotated as (
    update auth.sessions s set ${CHANGE}
    where s.id = (select h.id from auth.sessions h where h.id = $5::uuid and h.generation = $6::int and ${NEWEST})
    returning 1 as n, $7::text as ip, ${RETURNED}
  ), ${LOGGED}`;
/** If two requests present the same token, only one of them rotates it. */
const ROTATE_ALL = `with held as (
    select h.id, asked.n, asked.ip from unnest($5::uuid[], $6::int[], $7::text[]) with ordinality asked (id, generation, ip, n)
    join auth.sessions h on h.id = asked.id and h.generation = asked.generation
    where ${NEWEST}
  ), rotated as (
    update auth.sessions s set ${CHANGE} from held where s.id = held.id
    returning held.n::int as n, held.ip, ${RETURNED}
  ), ${LOGGED}`;

/** Rotates tokens and writes the audit log in one statement. Returns a row or null for each token, in the same order. */
export async function rotateAll(
  db: Queryable,
  rotations: readonly Rotation[],
  times: RotationTimes,
): Promise<(RotatedRow | null)[]> {
  const [ids, numbers, ips] = [
    rotations.map(({ token }) => token.sessionId),
    rotations.map(({ token }) => token.generation),
    rotations.map(({ ip }) => ip),
  ];
  const { rows } =
    rotations.length === 1
      ? await db.query<RotatedRow & { n: number }>(ROTATE_ONE, [...times, ids[0], numbers[0], ips[0]])
      : await db.query<RotatedRow & { n: number }>(ROTATE_ALL, [...times, ids, numbers, ips]);
  const found = new Map(rows.map((row) => [row.n, row]));
  return rotations.map((_, index) => found.get(index + 1) ?? null);
}

/** Returns the times of a rotation at `now`. */
export function rotationTimes(now: Date, config: Lifetimes & { readonly reuseSeconds: number }): RotationTimes {
  const since = (seconds: number | null): Date =>
    seconds === null ? new Date(0) : new Date(now.getTime() - seconds * 1000);
  return [now, since(config.reuseSeconds), since(config.sessionSeconds), since(config.inactivitySeconds)];
}

type Waiting = PromiseWithResolvers<RotatedRow | null> & { readonly rotation: Rotation };

/**
 * Rotates tokens that arrive together in one statement. A statement with eight tokens takes a third of the processor time of eight
 * statements, and the tokens share one commit. At most two statements run concurrently; tokens that arrive meanwhile share the next
 * statement.
 */
export function createRotate(dependencies: {
  db: Queryable;
  clock: Clock;
  config: Parameters<typeof rotationTimes>[1];
}): Rotate {
  const { db, clock, config } = dependencies;
  const endOfTurn = createEndOfTurn();
  const waiting: Waiting[] = [];
  let running = 0;
  async function runNext(): Promise<void> {
    running += 1;
    await endOfTurn();
    const together = waiting.splice(0, TOKENS_MAX);
    if (together.length > 0)
      await rotateAll(
        db,
        together.map(({ rotation }) => rotation),
        rotationTimes(clock(), config),
      ).then(
        (rows) => together.forEach(({ resolve }, index) => resolve(rows[index] ?? null)),
        (error: unknown) => together.forEach(({ reject }) => reject(error)),
      );
    running -= 1;
    if (waiting.length > 0) void runNext();
  }
  return (rotation) => {
    const entry: Waiting = { ...Promise.withResolvers<RotatedRow | null>(), rotation };
    waiting.push(entry);
    if (running < STATEMENTS_MAX) void runNext();
    return entry.promise;
  };
}
