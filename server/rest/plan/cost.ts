import { levelAt, type Parsed } from '../parse/query.ts';
import type { Embed, PlannedCondition, PlannedItem, PlannedLevel } from './read.ts';
import { type Bounds, checkSteps, refuseOver } from '../core/bounds.ts';

/** The cost of a request's shape, without its values. */
export type ShapeCost = {
  readonly orders: number;
  readonly columns: number;
  readonly copies: number;
  readonly steps: number;
  readonly embeds: number;
  readonly depth: number;
  /** The list of rows and the lists nested in it; null if nothing is embedded. */
  readonly list: List | null;
};
/**
 * A list of rows. `one`: it has at most one row. `limit`: the index of its limit in the request's values. `inner`: the lists in each row.
 */
type List = { readonly single: boolean; readonly limit: number | null; readonly inner: readonly List[] };

export const NO_COST: ShapeCost = { orders: 0, columns: 0, copies: 0, steps: 0, embeds: 0, depth: 0, list: null };

/** Measures the cost of a level and everything embedded in it. The orders of all levels come from `parsed`. */
export function measureCost(level: PlannedLevel, parsed: Parsed): ShapeCost {
  const total = { columns: 0, copies: 0, steps: 0, embeds: 0, depth: 0 };
  const visit = (current: PlannedLevel, depth: number): void => {
    total.depth = Math.max(total.depth, depth);
    const shown = new Map<string, number>();
    for (const item of current.items) {
      if (item.kind === 'embed' || item.kind === 'spread') continue;
      total.columns += 1;
      if (item.kind === 'count') continue;
      const { column, path } = item.field;
      const times = (shown.get(column.name) ?? 0) + 1;
      shown.set(column.name, times);
      total.copies = Math.max(total.copies, times);
      total.steps = Math.max(total.steps, path.length);
    }
    for (const order of current.order) total.steps = Math.max(total.steps, order.field.path.length);
    for (const embed of findEmbeds(current)) {
      total.embeds += 1;
      visit(embed.level, depth + 1);
    }
  };
  visit(level, 0);
  const orders = [...parsed.levels.keys()].reduce((sum, path) => sum + levelAt(parsed, path).order.length, 0);
  return { ...total, orders, list: total.embeds === 0 ? null : toList(level, isOneRow(level)) };
}

/** Returns the embedded relations that a level shows or only filters by. */
function findEmbeds({ items, conditions }: PlannedLevel): Embed[] {
  const found = new Set<Embed>();
  const addItem = (item: PlannedItem): void => {
    if (item.kind === 'embed' || item.kind === 'spread') found.add(item.embed);
  };
  const addCondition = (condition: PlannedCondition): void => {
    if (condition.kind === 'logic') condition.of.forEach(addCondition);
    else if (condition.kind === 'exists') found.add(condition.embed);
  };
  items.forEach(addItem);
  conditions.forEach(addCondition);
  return [...found];
}

function toList(level: PlannedLevel, single: boolean): List {
  const inner = findEmbeds(level).map((embed) => toList(embed.level, !embed.many || isOneRow(embed.level)));
  return { single, limit: level.limit, inner };
}

/** Whether the conditions fix the whole primary key. */
function isOneRow({ table, conditions }: PlannedLevel): boolean {
  const named = new Set<string>();
  for (const condition of conditions) {
    if (condition.kind !== 'test' || condition.negated || condition.field.path.length > 0) continue;
    if (condition.test.kind === 'compare' && condition.test.operator === 'eq' && condition.test.quantifier === null)
      named.add(condition.field.column.name);
  }
  return table.primaryKey.length > 0 && table.primaryKey.every((name) => named.has(name));
}

/** Refuses (400) a request whose shape and limits could cost too much. `maxRows` is the limit of a list without its own. */
export function checkShape(cost: ShapeCost, values: readonly string[], bounds: Bounds, maxRows: number): void {
  refuseOver('columns', cost.columns, bounds.columns);
  refuseOver('copies of one column', cost.copies, bounds.copies);
  refuseOver('columns to order by', cost.orders, bounds.orders);
  checkSteps(cost.steps, bounds);
  if (cost.list === null) return;
  refuseOver('embedded resources', cost.embeds, bounds.embeds);
  refuseOver('levels of embedded resources', cost.depth, bounds.depth);
  const possible = (list: List, around: number): number => {
    const limit = list.limit === null ? maxRows : Math.min(Number(values[list.limit] ?? 0), maxRows);
    const rows = around * (list.single ? 1 : limit);
    return list.inner.reduce((sum, inner) => sum + possible(inner, rows), rows);
  };
  refuseOver('rows that lists inside lists could show', possible(cost.list, 1), bounds.possibleRows);
}
