import type { Database } from '#server/db/database.ts';
import type { Clock, Log } from '#server/http/caller.ts';
import { waitForWriters } from './writers.ts';

/** The tables to whose changes this process subscribes: their triggers write changes to the outbox. */
export type TableSubscriptions = {
  /** Resolves once every later commit either has its changes captured or belongs to a transaction that `onLate` reports. */
  add(relations: readonly string[]): Promise<void>;
  /** Extends the subscriptions to these tables; those to other tables expire. */
  renew(relations: readonly string[]): Promise<void>;
  /** Forgets the subscriptions that were written, because the tables of the database were emptied. */
  reset(): void;
  stop(): void;
};

/** A subscription outlives its subscribers and a restart, so that a reopened page neither waits nor misses changes. */
const KEPT_MINUTES = 10;
const RENEWED_MS = 60_000;
/** A subscription that was not renewed for this long may have expired. A minute less than `KEPT_MINUTES`. */
const KNOWN_MS = 9 * 60_000;

type RegisteredSubscription = { readonly ready: Promise<void>; renewedAt: number };
type State = {
  readonly db: Database;
  readonly process: string;
  readonly onLate: (relations: readonly string[]) => void;
  readonly clock: Clock;
  readonly log: Log;
  readonly registered: Map<string, RegisteredSubscription>;
  messagesAt: number;
  readonly stopped: AbortController;
};

/**
 * `onLate`: a transaction that began before the subscription to these tables has ended late, and its changes might not have been captured.
 */
export function createTableSubscriptions(context: {
  db: Database;
  process: string;
  onLate: (relations: readonly string[]) => void;
  clock: Clock;
  log: Log;
}): TableSubscriptions {
  const state: State = {
    ...context,
    registered: new Map(),
    messagesAt: Number.NEGATIVE_INFINITY,
    stopped: new AbortController(),
  };
  return {
    add: (relations) => add(state, relations),
    renew: (relations) => renew(state, relations),
    reset() {
      state.registered.clear();
      state.messagesAt = Number.NEGATIVE_INFINITY;
    },
    stop: () => state.stopped.abort(),
  };
}

async function add(state: State, relations: readonly string[]): Promise<void> {
  const { registered } = state;
  const now = state.clock().getTime();
  const added = relations.filter((relation) => now - (registered.get(relation)?.renewedAt ?? -KNOWN_MS) >= KNOWN_MS);
  if (added.length > 0) {
    const ready = begin(state, added);
    // Concurrent subscribers wait for the same transactions.
    for (const relation of added) registered.set(relation, { ready, renewedAt: now });
    ready.catch(() => {
      for (const relation of added) if (registered.get(relation)?.ready === ready) registered.delete(relation);
    });
  }
  await Promise.all(relations.flatMap((relation) => registered.get(relation)?.ready ?? []));
}

async function begin(state: State, relations: readonly string[]): Promise<void> {
  await write(state, relations);
  // The embedded engine has one connection: no other transaction is open.
  if (state.db.kind !== 'postgres') return;
  const late = await waitForWriters(state.db, relations);
  if (late.length > 0) void followLate(state, relations, late);
}

/**
 * Waits for writers that were still open when the subscription was confirmed. The confirmation does not wait for them, so that one long
 * transaction cannot block all subscribers.
 */
async function followLate(state: State, relations: readonly string[], late: readonly string[]): Promise<void> {
  const { db, log, stopped, onLate } = state;
  log.warn({ relations }, 'a transaction that began before a subscription is still open');
  try {
    await waitForWriters(db, relations, { late, signal: stopped.signal });
    if (stopped.signal.aborted) return;
    await db.query(
      'update realtime.table_subscription set since = clock_timestamp() where relation = any ($1::oid[])',
      [relations],
    );
  } catch (error) {
    log.warn({ err: error }, 'open transactions could not be followed; subscribers must read again');
  }
  onLate(relations);
}

async function renew(state: State, relations: readonly string[]): Promise<void> {
  const { registered } = state;
  const now = state.clock().getTime();
  const unknown = relations.filter((relation) => !registered.has(relation));
  // A new table was published in a schema to all of which a client subscribes.
  if (unknown.length > 0) await add(state, unknown);
  const due = relations.filter((relation) => now - (registered.get(relation)?.renewedAt ?? now) > RENEWED_MS);
  if (due.length === 0 && now - state.messagesAt < RENEWED_MS) return;
  await write(state, due);
  for (const relation of due) {
    const entry = registered.get(relation);
    if (entry) entry.renewedAt = now;
  }
}

/** Writes the subscriptions to these tables, and that of the process to the messages that the database sends. */
async function write(state: State, relations: readonly string[]): Promise<void> {
  state.messagesAt = state.clock().getTime();
  await state.db.query(`select realtime.subscribe_to_tables($1::uuid, $2::oid[], $3::int * interval '1 minute')`, [
    state.process,
    relations,
    KEPT_MINUTES,
  ]);
}

/** Whether the outbox still holds all changes of these tables since an instant. */
export async function keepsSince(
  db: Database,
  relations: readonly string[],
  since: Date,
  keptSeconds: number,
): Promise<boolean> {
  const row = await db.queryRow<{ kept: boolean }>(
    `select $2::timestamptz > clock_timestamp() - $3::int * interval '1 second' and not exists (
       select from unnest($1::oid[]) as wanted (relation) where not exists (
         select from realtime.table_subscription s
         where s.relation = wanted.relation and s.since <= $2::timestamptz and s.until > clock_timestamp()
       )
     ) as kept`,
    [relations, since, keptSeconds],
  );
  return row?.kept === true;
}
