import type { Database } from '#server/db/database.ts';
import type { Clock, Log } from '#server/http/caller.ts';
import type { Changes, ChangeSubscription } from '../core/ports.ts';
import { deliverChanges, type DeliveryContext } from './delivery.ts';
import { FilterFault } from './filters.ts';
import { createInterest, type Interest } from './interest.ts';
import { prepareBinding } from './prepare.ts';
import { type Change, cleanOutbox, readSince } from './reader.ts';
import { coversTable, type PreparedBinding, type Subscription } from './subscriptions.ts';
import { createTables, type Table } from './tables.ts';

/** Table changes for subscribers of this process. */
export type ChangeFeed = Changes & {
  /** Delivers what the reader has read. */
  deliver(changes: readonly Change[]): Promise<void>;
  /** Renews the interest of the subscribers and deletes what nobody needs any more. */
  maintain(): Promise<void>;
  stop(): Promise<void>;
};

type State = {
  readonly context: DeliveryContext;
  readonly interest: Interest;
  readonly clock: Clock;
  readonly subscriptions: Set<Subscription>;
  nextId: number;
};

const TOO_OLD = 'The changes since then are no longer kept, please read again';

export function createChanges(dependencies: { db: Database; process: string; clock: Clock; log: Log }): ChangeFeed {
  const { db, process, clock, log } = dependencies;
  const state: State = {
    context: { db, tables: createTables(db, clock), log },
    interest: createInterest(db, process),
    clock,
    subscriptions: new Set(),
    nextId: 1,
  };
  return {
    subscribe: (request) => subscribe(state, request),
    deliver: (changes) => deliver(state, changes, [...state.subscriptions]),
    async maintain() {
      const published = await state.context.tables.published();
      await state.interest.renew(
        relationsOf(
          published,
          [...state.subscriptions].flatMap(({ bindings }) => bindings),
        ),
      );
      await cleanOutbox(db);
    },
    stop: () => state.interest.stop(),
  };
}

function subscribe(state: State, request: Parameters<Changes['subscribe']>[0]): ChangeSubscription {
  const ids = request.bindings.map(() => state.nextId++);
  const bindings: PreparedBinding[] = [];
  const subscription: Subscription = {
    member: request.member,
    bindings,
    onChange: request.onChange,
    sent: request.since === null ? null : new Set(),
  };
  let ended = false;
  const start = async (): Promise<string | null> => {
    for (const [at, sent] of request.bindings.entries())
      bindings.push(await prepareBinding(state.context, ids[at] ?? 0, sent, subscription.member));
    if (ended) return null;
    const relations = relationsOf(await state.context.tables.published(), bindings);
    state.subscriptions.add(subscription);
    await state.interest.add(relations);
    return request.since === null ? null : catchUp(state, subscription, relations, request.since);
  };
  const ready = start().catch((error: unknown) => {
    bindings.length = 0;
    state.subscriptions.delete(subscription);
    if (error instanceof FilterFault) return error.message;
    state.context.log.error({ err: error }, 'a subscription to table changes failed');
    return 'Unable to subscribe to changes. Please try again.';
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

const relationsOf = (published: readonly Table[], bindings: readonly PreparedBinding[]): string[] =>
  published.filter((table) => bindings.some((one) => coversTable(one, table))).map(({ relation }) => relation);

/** Sends the changes since an instant to a client that has connected again. Returns the error when they are no longer kept. */
async function catchUp(
  state: State,
  subscription: Subscription,
  relations: readonly string[],
  since: string,
): Promise<string | null> {
  const from = new Date(since);
  const age = state.clock().getTime() - from.getTime();
  if (Number.isNaN(age) || age > CATCH_UP_MS) return TOO_OLD;
  const missed = await readSince(state.context.db, relations, from);
  await deliver(state, missed, [subscription]);
  setTimeout(() => (subscription.sent = null), OVERLAP_MS).unref();
  return null;
}

/** How long the reader may still deliver changes that were already sent again. */
const OVERLAP_MS = 10_000;
const CATCH_UP_MS = 4.5 * 60_000;

async function deliver(
  state: State,
  changes: readonly Change[],
  subscriptions: readonly Subscription[],
): Promise<void> {
  if (changes.length === 0 || subscriptions.length === 0) return;
  const published = await state.context.tables.published();
  for (const group of groupByTable(changes)) {
    const table = published.find(({ relation }) => relation === group[0]?.relation);
    if (!table) continue;
    const interested = subscriptions.filter(({ bindings }) => bindings.some((one) => coversTable(one, table)));
    await deliverChanges(state.context, table, group, interested);
  }
}

/** Groups neighbouring changes of the same table: the order of all changes is kept. */
function groupByTable(changes: readonly Change[]): readonly (readonly Change[])[] {
  const groups: Change[][] = [];
  for (const change of changes) {
    const last = groups.at(-1);
    if (last?.[0]?.relation === change.relation) last.push(change);
    else groups.push([change]);
  }
  return groups;
}
