import type { Database } from '#server/db/database.ts';
import type { Clock, Log } from '#server/http/caller.ts';
import type { ChangeEvent, Changes, ChangesReady, ChangeSubscription } from '../core/ports.ts';
import { deliverAll, type DeliveryState, lose, publishedTables } from './deliver-all.ts';
import { FilterFault } from './filters.ts';
import { type Change, cleanOutbox, currentSnapshot, KEPT_SECONDS, PAGE_ROWS, readSince } from './outbox.ts';
import { prepareBinding } from './prepare.ts';
import { createSlowFilters } from './slow-filters.ts';
import { coversTable, type PreparedBinding, type Subscription } from './subscriptions.ts';
import { createTableSubscriptions, keepsSince, type TableSubscriptions } from './table-subscriptions.ts';
import { createTables, type Table } from './tables.ts';

/** Table changes for subscribers of this process. */
export type ChangeFeed = Changes & {
  /** Delivers the changes that the reader has read. */
  deliver(changes: readonly Change[]): Promise<void>;
  /** Renews the subscriptions of this process to tables and deletes changes that no client can request any more. */
  maintain(): Promise<void>;
  /** Subscribes to the tables again after the database has lost the subscriptions. */
  restore(): Promise<void>;
  stop(): void;
};

type State = DeliveryState & { readonly tableSubscriptions: TableSubscriptions; nextId: number };

const TOO_OLD = 'The changes since then are no longer kept, please read again';
const LATE = 'A transaction that began before the subscription has ended: changes may be missing, please read again';
const FAILED = 'Unable to subscribe to changes. Please try again.';

export function createChanges(dependencies: { db: Database; process: string; clock: Clock; log: Log }): ChangeFeed {
  const { db, process, clock, log } = dependencies;
  const state: State = {
    context: { db, tables: createTables(db, clock), slowFilters: createSlowFilters(), log },
    tableSubscriptions: createTableSubscriptions({ db, process, clock, log, onLate: (late) => loseLate(state, late) }),
    subscriptions: new Set(),
    published: '',
    stopped: new AbortController(),
    nextId: 1,
  };
  const renew = async (): Promise<void> => {
    const bindings = [...state.subscriptions].flatMap((subscription) => subscription.bindings);
    await state.tableSubscriptions.renew(getRelations(await publishedTables(state), bindings));
  };
  return {
    subscribe: (request) => subscribe(state, request),
    deliver: (changes) => deliverAll(state, changes, [...state.subscriptions]),
    async maintain() {
      await renew();
      await cleanOutbox(db);
    },
    restore() {
      state.tableSubscriptions.reset();
      return renew();
    },
    stop() {
      state.stopped.abort();
      state.tableSubscriptions.stop();
    },
  };
}

function subscribe(state: State, request: Parameters<Changes['subscribe']>[0]): ChangeSubscription {
  const ids = request.bindings.map(() => state.nextId++);
  const bindings: PreparedBinding[] = [];
  const subscription: Subscription = {
    member: request.member,
    bindings,
    onChange: request.onChange,
    onLost: request.onLost,
    sent: null,
  };
  let ended = false;
  const start = async (): Promise<ChangesReady> => {
    bindings.push(...(await prepareAll(state, request, ids)));
    const relations = await capturedTables(state, bindings);
    if (ended) return { error: null, warning: null };
    const held = request.since === null ? null : hold(subscription);
    state.subscriptions.add(subscription);
    await state.tableSubscriptions.add(relations);
    if (held === null || request.since === null) return { error: null, warning: null };
    const { onChange } = request;
    const { sent } = held;
    const warning = await catchUp(state, subscription, relations, { since: new Date(request.since), sent, onChange });
    held.release();
    return { error: null, warning };
  };
  const ready = start().catch((error: unknown): ChangesReady => {
    bindings.length = 0;
    state.subscriptions.delete(subscription);
    if (error instanceof FilterFault) return { error: error.message, warning: null };
    state.context.log.error({ err: error }, 'a subscription to table changes failed; the client subscribes again');
    request.onLost(FAILED); // the client tries again
    return { error: FAILED, warning: null };
  });
  return {
    ids,
    ready,
    setMember: (member) => void (subscription.member = member),
    end() {
      ended = true;
      state.subscriptions.delete(subscription);
    },
  };
}

/** Prepares the bindings. The cached tables may be a second old, so a refusal is checked again with current ones. */
async function prepareAll(
  { context }: State,
  { bindings, member }: Parameters<Changes['subscribe']>[0],
  ids: readonly number[],
): Promise<readonly PreparedBinding[]> {
  const prepare = async (): Promise<PreparedBinding[]> => {
    const prepared: PreparedBinding[] = [];
    for (const [index, sent] of bindings.entries())
      prepared.push(await prepareBinding(context, ids[index] ?? 0, sent, member));
    return prepared;
  };
  return prepare().catch((error: unknown) => {
    if (!(error instanceof FilterFault)) throw error;
    context.tables.forget();
    return prepare();
  });
}

const getRelations = (published: readonly Table[], bindings: readonly PreparedBinding[]): string[] =>
  published.filter((table) => bindings.some((binding) => coversTable(binding, table))).map(({ relation }) => relation);

/** The interval of the checks whether a new table of the publication has its trigger, and their longest duration, in milliseconds. */
const CAPTURED = { poll: 200, wait: 5_000 };

/** Waits until the tables of these bindings have their triggers. Another transaction may hold a lock on a table that was just published. */
async function capturedTables(state: State, bindings: readonly PreparedBinding[]): Promise<string[]> {
  const deadline = performance.now() + CAPTURED.wait;
  for (;;) {
    const published = await publishedTables(state);
    const named = bindings.map(({ relation }) => relation);
    if (published.every((table) => table.captured || !named.includes(table.relation)))
      return getRelations(published, bindings);
    if (performance.now() > deadline) throw new Error('a published table has no trigger yet');
    await new Promise((done) => setTimeout(done, CAPTURED.poll));
    state.context.tables.forget();
  }
}

/**
 * Holds back the changes of a subscription. `release` sends those that are not in `sent`, which contains the ids of the changes since the
 * client's last event. Those changes must go first: if the connection breaks between the two, the client requests the changes since its
 * last event.
 */
function hold(subscription: Subscription): { sent: Set<number>; release: () => void } {
  const { onChange } = subscription;
  const sent = new Set<number>();
  const held: { event: ChangeEvent; id: number }[] = [];
  subscription.onChange = (event, id) => void held.push({ event, id });
  return {
    sent,
    release() {
      subscription.onChange = onChange;
      for (const { event, id } of held) if (!sent.has(id)) onChange(event, id);
      subscription.sent = sent;
      setTimeout(() => (subscription.sent = null), OVERLAP_MS).unref();
    },
  };
}

/** The time for which the reader may still deliver changes that were already sent again. */
const OVERLAP_MS = 60_000;
const PAGES_MAX = 20;
/** Clients may request changes for slightly less time than the changes are kept. */
const CATCH_UP_SECONDS = KEPT_SECONDS - 30;

/** Sends the changes since an instant to a client that has reconnected. Returns a warning if some of them are no longer kept. */
async function catchUp(
  state: State,
  subscription: Subscription,
  relations: readonly string[],
  { since, sent, onChange }: { since: Date; sent: Set<number>; onChange: (event: ChangeEvent) => void },
): Promise<string | null> {
  const { db } = state.context;
  if (Number.isNaN(since.getTime()) || !(await keepsSince(db, relations, since, CATCH_UP_SECONDS))) return TOO_OLD;
  const direct: Subscription = { ...subscription, sent, onChange };
  // All pages show the same transactions. Changes that are committed in the meantime are held back and sent afterwards.
  const snapshot = await currentSnapshot(db);
  let after = 0;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const missed = await readSince(db, relations, { since, snapshot, after });
    direct.member = subscription.member;
    await deliverAll(state, missed, [direct]);
    if (missed.length < PAGE_ROWS) return null;
    after = missed.at(-1)?.id ?? after;
  }
  return TOO_OLD;
}

function loseLate(state: State, relations: readonly string[]): void {
  for (const subscription of state.subscriptions)
    if (subscription.bindings.some(({ relation }) => relation === null || relations.includes(relation)))
      lose(state, subscription, LATE);
}
