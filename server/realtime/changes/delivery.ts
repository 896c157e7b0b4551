import type { Database } from '#server/db/database.ts';
import type { Log } from '#server/http/caller.ts';
import type { Member } from '../core/token.ts';
import type { SlowFilters } from './slow-filters.ts';
import { encodeChange } from './event-data.ts';
import { evaluateConditions, filteredImage } from './evaluate-conditions.ts';
import { type Change, getField, type Image } from './outbox.ts';
import { applyRowFilter } from './row-filter.ts';
import { coversTable, type PreparedBinding, type Subscription } from './subscriptions.ts';
import type { Table, TableAccess, Tables } from './tables.ts';
import { findVisibleRows, type Visible } from './visible-rows.ts';

export type DeliveryContext = {
  readonly db: Database;
  readonly tables: Tables;
  readonly slowFilters: SlowFilters;
  readonly log: Log;
};

/** An image of a change. `required`: whether the event is sent only to subscribers who may see the image. */
type ChangeImage = { readonly image: Image; readonly required: boolean };

/** A change and the bindings of one subscription that match it. */
type Match = {
  readonly change: Change;
  readonly images: readonly ChangeImage[];
  readonly subscription: Subscription;
  readonly bindings: readonly PreparedBinding[];
};

/**
 * Sends the changes of one table, in order, to the subscribers whose bindings match and who may see the rows. Returns the subscriptions
 * whose filters took too long and which may therefore miss changes.
 */
export async function deliverChanges(
  context: DeliveryContext,
  table: Table,
  changes: readonly Change[],
  subscriptions: readonly Subscription[],
): Promise<readonly Subscription[]> {
  const published = changes.filter(({ kind }) => table.sends[kind]);
  const filtered = await applyRowFilter(context.db, table, published);
  const { matches, slow } = await findMatches(context, table, filtered, subscriptions);
  if (matches.length === 0) return slow;
  const visibility = await findVisibility(context, table, matches);
  const encoded = new Map<string, string>();
  for (const { change, images, subscription, bindings: matching } of matches) {
    const { member, sent } = subscription;
    const found = visibility.get(member.role);
    if (!found || !images.every(({ image, required }) => !required || found.sees(member, image))) continue;
    if (sent?.has(change.id)) continue;
    sent?.add(change.id);
    const { access } = found;
    const showsOld = images.every(({ image, required }) => required || found.sees(member, image));
    const readable = matching.filter(({ binding }) =>
      binding.conditions.every(({ column }) => access.columns.has(column)),
    );
    for (const [select, bindings] of groupBySelect(readable)) {
      const key = `${change.id} ${member.role} ${showsOld} ${select}`;
      const data =
        encoded.get(key) ??
        encodeChange(table, change, access, { select: bindings[0]?.binding.select ?? null, showsOld });
      encoded.set(key, data);
      subscription.onChange({ ids: bindings.map(({ id }) => id), data }, change.id);
    }
  }
  return slow;
}

async function findMatches(
  context: DeliveryContext,
  table: Table,
  changes: readonly Change[],
  subscriptions: readonly Subscription[],
): Promise<{ matches: readonly Match[]; slow: readonly Subscription[] }> {
  const covering = subscriptions
    .map((subscription) => ({
      subscription,
      bindings: subscription.bindings.filter((binding) => coversTable(binding, table)),
    }))
    .filter(({ bindings }) => bindings.length > 0);
  const conditions = new Map(
    covering.flatMap(({ subscription: { member }, bindings }) => bindings.map(({ condition }) => [condition, member])),
  );
  conditions.delete('true');
  const { holds, slow } = await evaluateConditions(context, table, changes, conditions);
  for (const condition of slow) context.slowFilters.add(table, condition);
  const matches: Match[] = [];
  for (const change of changes) {
    const image = filteredImage(change);
    const images = getImages(table, change);
    const matchesChange = (prepared: PreparedBinding): boolean =>
      (prepared.binding.event === '*' || prepared.binding.event === change.kind) &&
      prepared.equalities.every(({ column, json }) => getField(image, column) === json) &&
      (prepared.condition === 'true' || holds(change, prepared.condition));
    for (const { subscription, bindings } of covering) {
      const matching = bindings.filter(matchesChange);
      if (matching.length > 0) matches.push({ change, images, subscription, bindings: matching });
    }
  }
  const late = covering.filter(({ bindings }) => bindings.some(({ condition }) => slow.has(condition)));
  return { matches, slow: late.map(({ subscription }) => subscription) };
}

/**
 * Returns the images of a change whose visibility matters: the new row, or the old row of a delete, without which no event is sent. The old
 * row of an update only decides whether the event shows it.
 */
function getImages(table: Table, { kind, record, oldRecord }: Change): readonly ChangeImage[] {
  if (kind === 'DELETE') return [{ image: oldRecord ?? {}, required: true }];
  const images = [{ image: record ?? {}, required: true }];
  if (kind === 'INSERT' || oldRecord === null) return images;
  const sameIdentity = table.identity.every((name) => getField(record, name) === getField(oldRecord, name));
  return sameIdentity ? images : [...images, { image: oldRecord, required: false }];
}

type Visibility = { readonly access: TableAccess; readonly sees: Visible };

/** Checks each pair of a distinct caller and a row once. Returns the visible rows for each role. */
async function findVisibility(
  context: DeliveryContext,
  table: Table,
  matches: readonly Match[],
): Promise<ReadonlyMap<string, Visibility>> {
  const byRole = new Map<string, { members: Map<string, Member>; images: Set<Image> }>();
  for (const { images, subscription } of matches) {
    const { member } = subscription;
    const group = byRole.get(member.role) ?? { members: new Map<string, Member>(), images: new Set<Image>() };
    byRole.set(member.role, group);
    group.members.set(member.identity, member);
    for (const { image } of images) group.images.add(image);
  }
  const found = new Map<string, Visibility>();
  for (const [role, { members, images }] of byRole) {
    const access = await context.tables.access(table, role);
    const request = { table, access, members: [...members.values()], images: [...images] };
    const sees = await findVisibleRows(context, request);
    // A policy that reads its own table cannot decide about a row that no longer exists: no subscriber is shown such a row.
    const gone = new Set(access.readsItself ? matches.map(({ change }) => change.oldRecord) : []);
    found.set(role, { access, sees: (member, image) => !gone.has(image) && sees(member, image) });
  }
  return found;
}

function groupBySelect(bindings: readonly PreparedBinding[]): ReadonlyMap<string, readonly PreparedBinding[]> {
  const groups = new Map<string, PreparedBinding[]>();
  for (const prepared of bindings) {
    const key = JSON.stringify(prepared.binding.select);
    groups.set(key, [...(groups.get(key) ?? []), prepared]);
  }
  return groups;
}
