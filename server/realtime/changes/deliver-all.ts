import { DatabaseError } from '#server/db/database.ts';
import { deliverChanges, type DeliveryContext } from './delivery.ts';
import type { Change } from './outbox.ts';
import { coversTable, type PreparedBinding, getShape, type Subscription } from './subscriptions.ts';
import type { Table } from './tables.ts';

export type DeliveryState = {
  readonly context: DeliveryContext;
  readonly subscriptions: Set<Subscription>;
  /** The published tables as text, as of the last comparison with the bindings. */
  published: string;
  readonly stopped: AbortController;
};

const RETRY_MS = 500;
/** Attempts to deliver the changes of a table as long as the database is reachable. */
const ATTEMPTS = 2;
const MISSED = 'Changes could not be delivered, please read again';
const SLOW_FILTER = 'A filter of this subscription takes too long: changes may be missing, please read again';
const ALTERED = 'A table of this subscription was changed, please subscribe again';

/**
 * Delivers changes in order. If a change cannot be delivered, ends the subscriptions that it concerns, so that their clients read again.
 */
export async function deliverAll(
  state: DeliveryState,
  changes: readonly Change[],
  subscriptions: readonly Subscription[],
): Promise<void> {
  if (changes.length === 0 || subscriptions.length === 0) return;
  for (const group of groupByTable(changes)) await deliverGroup(state, group, subscriptions);
}

/** Returns the tables of the publication. Ends the subscriptions whose table has left it or no longer matches their bindings. */
export async function publishedTables(state: DeliveryState): Promise<readonly Table[]> {
  const published = await state.context.tables.published();
  const text = JSON.stringify(published);
  if (text === state.published) return published;
  state.published = text;
  for (const subscription of state.subscriptions)
    if (!subscription.bindings.every((binding) => fits(binding, published))) lose(state, subscription, ALTERED);
  return published;
}

/** Ends a subscription. Its client must join again and reload its data. */
export function lose(state: DeliveryState, subscription: Subscription, message: string): void {
  state.subscriptions.delete(subscription);
  subscription.onLost(message);
}

/** Delivers the changes of one table. A failure means that none of them was sent, so all are tried again together. */
async function deliverGroup(
  state: DeliveryState,
  changes: readonly Change[],
  subscriptions: readonly Subscription[],
): Promise<void> {
  const { context, stopped } = state;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const published = await publishedTables(state);
      const table = published.find(({ relation }) => relation === changes[0]?.relation);
      if (!table) return;
      const slow = await deliverChanges(context, table, changes, concerned(subscriptions, table));
      for (const subscription of slow) lose(state, subscription, SLOW_FILTER);
      return;
    } catch (error) {
      if (stopped.signal.aborted) return;
      context.log.error({ err: error }, 'an attempt to deliver table changes failed');
      if (attempt >= ATTEMPTS && !isOutage(error)) return loseAll(state, changes, subscriptions);
      context.tables.forget();
      await new Promise((done) => setTimeout(done, RETRY_MS));
    }
  }
}

const concerned = (subscriptions: readonly Subscription[], table: Table): Subscription[] =>
  subscriptions.filter(({ bindings }) => bindings.some((binding) => coversTable(binding, table)));

function loseAll(state: DeliveryState, changes: readonly Change[], subscriptions: readonly Subscription[]): void {
  const table = changes[0]?.relation;
  for (const subscription of subscriptions)
    if (subscription.bindings.some(({ relation }) => relation === null || relation === table))
      lose(state, subscription, MISSED);
}

/** Whether the database was unreachable: SQLSTATE classes of lost connections, shutdowns and lack of resources. */
const isOutage = (error: unknown): boolean => error instanceof DatabaseError && /^(?:08|53|57P)/.test(error.code);

/** Whether the table is still published under the name and with the columns that the binding names. */
function fits({ relation, binding, shape }: PreparedBinding, published: readonly Table[]): boolean {
  if (relation === null) return true;
  const table = published.find((table) => table.relation === relation);
  return table !== undefined && getShape(table, binding) === shape;
}

/** Maximum number of changes in a group. One statement with a time limit evaluates the policies of all subscribers over a group. */
const GROUP_MAX = 100;

/** Groups neighbouring changes of the same table, up to a limit per group. Keeps the order of all changes. */
function groupByTable(changes: readonly Change[]): readonly (readonly Change[])[] {
  const groups: Change[][] = [];
  for (const change of changes) {
    const last = groups.at(-1);
    if (last?.[0]?.relation === change.relation && last.length < GROUP_MAX) last.push(change);
    else groups.push([change]);
  }
  return groups;
}
