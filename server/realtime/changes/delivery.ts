import pg from 'pg';
import type { Database } from '#server/db/database.ts';
import type { Log } from '#server/http/caller.ts';
import type { Member } from '../core/token.ts';
import { encodeChange } from './event-data.ts';
import { jsonOf, judge } from './judge.ts';
import type { Change, Image } from './reader.ts';
import { coversTable, type PreparedBinding, type Subscription } from './subscriptions.ts';
import { sqlNameOf, type Table, type TableAccess, type Tables } from './tables.ts';

export type DeliveryContext = { readonly db: Database; readonly tables: Tables; readonly log: Log };

/** A change and the bindings of one subscription that match it. */
type Match = {
  readonly change: Change;
  readonly subscription: Subscription;
  readonly bindings: readonly PreparedBinding[];
};

/** Sends the changes of one table, in their order, to the subscribers that asked for them and may see the rows. */
export async function deliverChanges(
  context: DeliveryContext,
  table: Table,
  changes: readonly Change[],
  subscriptions: readonly Subscription[],
): Promise<void> {
  const matches = await findMatches(context, table, changes, subscriptions);
  if (matches.length === 0) return;
  const visible = await judgeMatches(context, table, matches);
  const encoded = new Map<string, string>();
  for (const match of matches) {
    const { access, sees } = visible(match);
    const images = imagesOf(table, match.change);
    if (!images.every(({ image, required }) => !required || sees(image))) continue;
    const { sent } = match.subscription;
    if (sent?.has(match.change.id)) continue;
    sent?.add(match.change.id);
    const showsOld = images.every(({ image, required }) => required || sees(image));
    for (const [select, bindings] of groupBySelect(match.bindings)) {
      const key = `${match.change.id} ${match.subscription.member.role} ${showsOld} ${select}`;
      const data =
        encoded.get(key) ??
        encodeChange(table, match.change, access, { select: bindings[0]?.binding.select ?? null, showsOld });
      encoded.set(key, data);
      match.subscription.onChange({ ids: bindings.map(({ id }) => id), data });
    }
  }
}

async function findMatches(
  context: DeliveryContext,
  table: Table,
  changes: readonly Change[],
  subscriptions: readonly Subscription[],
): Promise<readonly Match[]> {
  const wanted = changes.filter((change) => table.sends[change.kind]);
  const bindings = subscriptions.flatMap((one) => one.bindings.filter((binding) => coversTable(binding, table)));
  const conditions = [...new Set(bindings.map(({ condition }) => condition))].filter((one) => one !== 'true');
  const holds = await evaluate(context, table, wanted, conditions);
  const matches: Match[] = [];
  for (const change of wanted) {
    const image = filteredImage(change);
    for (const subscription of subscriptions) {
      const matching = subscription.bindings.filter(
        (one) =>
          coversTable(one, table) &&
          (one.binding.event === '*' || one.binding.event === change.kind) &&
          one.equalities.every(({ column, json }) => image[column] === json) &&
          (one.condition === 'true' || holds(change, one.condition)),
      );
      if (matching.length > 0) matches.push({ change, subscription, bindings: matching });
    }
  }
  return matches;
}

/** Filters look at the new row; at the old one of a delete. */
const filteredImage = ({ record, oldRecord }: Change): Image => record ?? oldRecord ?? {};

/** Evaluates the conditions of all filters over all changed rows in one statement. */
async function evaluate(
  { db }: DeliveryContext,
  table: Table,
  changes: readonly Change[],
  conditions: readonly string[],
): Promise<(change: Change, condition: string) => boolean> {
  if (conditions.length === 0 || changes.length === 0) return () => false;
  const name = pg.escapeIdentifier(table.name);
  const { rows } = await db.as<{ results: readonly (readonly boolean[])[] }>(
    { role: 'anon', claims: '{}', caller: 'realtime' },
    `select jsonb_agg(jsonb_build_array(${conditions.map((one) => `coalesce(${one}, false)`).join(', ')}) order by realtime_row_number) as results
     from jsonb_array_elements($1::jsonb) with ordinality as realtime_rows (realtime_row, realtime_row_number),
       lateral jsonb_populate_record(null::${sqlNameOf(table)}, realtime_row) as ${name}`,
    [`[${changes.map((change) => jsonOf(filteredImage(change))).join(',')}]`],
  );
  const results = rows[0]?.results ?? [];
  const rowAt = new Map(changes.map((change, at) => [change, at]));
  const columnAt = new Map(conditions.map((condition, at) => [condition, at]));
  return (change, condition) => results[rowAt.get(change) ?? -1]?.[columnAt.get(condition) ?? -1] ?? false;
}

/**
 * The images of a change that a subscriber must be allowed to see: the new row; of a delete the old one. The old row of an update counts
 * only for what the event shows of it.
 */
function imagesOf(table: Table, { kind, record, oldRecord }: Change): readonly { image: Image; required: boolean }[] {
  if (kind === 'DELETE') return [{ image: oldRecord ?? {}, required: true }];
  const images = [{ image: record ?? {}, required: true }];
  if (kind === 'INSERT' || oldRecord === null) return images;
  const sameIdentity = table.identity.every((name) => record?.[name] === oldRecord[name]);
  return sameIdentity ? images : [...images, { image: oldRecord, required: false }];
}

type Visibility = { readonly access: TableAccess; readonly sees: (image: Image) => boolean };

/** Judges each pair of a distinct caller and a row once. */
async function judgeMatches(
  context: DeliveryContext,
  table: Table,
  matches: readonly Match[],
): Promise<(match: Match) => Visibility> {
  const byRole = new Map<string, Map<string, Member>>();
  for (const { subscription } of matches) {
    const { member } = subscription;
    const members = byRole.get(member.role) ?? new Map<string, Member>();
    byRole.set(member.role, members.set(member.identity, member));
  }
  const images = [...new Set(matches.flatMap(({ change }) => imagesOf(table, change).map(({ image }) => image)))];
  const position = new Map(images.map((image, at) => [image, at]));
  const roles = new Map<string, { access: TableAccess; visible: Map<string, readonly boolean[]> }>();
  for (const [role, members] of byRole) {
    const access = await context.tables.access(table, role);
    const hidesDeleted = readsItself(table, access.condition);
    const judged = await judge(context, { table, access, members: [...members.values()], images });
    const deleted = new Set(
      matches.filter(({ change }) => change.kind === 'DELETE').map(({ change }) => change.oldRecord),
    );
    const visible = [...members.keys()].map((identity, at): [string, readonly boolean[]] => [
      identity,
      (judged[at] ?? []).map((sees, row) => sees && !(hidesDeleted && deleted.has(images[row] ?? null))),
    ]);
    roles.set(role, { access, visible: new Map(visible) });
  }
  return ({ subscription: { member } }) => {
    const ofRole = roles.get(member.role);
    const visible = ofRole?.visible.get(member.identity);
    return {
      access: ofRole?.access ?? { columns: new Set(), condition: 'false' },
      sees: (image) => visible?.[position.get(image) ?? -1] ?? false,
    };
  };
}

/** A policy that reads its own table cannot judge a deleted row, which is no longer there: such deletes are sent to nobody. */
const readsItself = ({ schema, name }: Table, condition: string): boolean => {
  if (!/\bselect\b/i.test(condition)) return false;
  const spellings = [`${schema}.${name}`, `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`];
  return spellings.some((spelling) =>
    condition
      .split(spelling)
      .slice(1)
      .some((rest) => !/^[\w$"]/.test(rest)),
  );
};

function groupBySelect(bindings: readonly PreparedBinding[]): ReadonlyMap<string, readonly PreparedBinding[]> {
  const groups = new Map<string, PreparedBinding[]>();
  for (const one of bindings) {
    const key = JSON.stringify(one.binding.select);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return groups;
}
