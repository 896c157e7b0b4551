import type { PlannedCondition, PlannedLevel } from './read.ts';

/**
 * Lets PostgreSQL keep the plan of a statement instead of planning it for each request's values. Only where the database says that one
 * plan suits all values (rest.kept_plan): elsewhere the values decide between plans that differ a lot.
 */
const KEEP: Readonly<Record<string, string>> = { plan_cache_mode: 'force_generic_plan' };
const DECIDE: Readonly<Record<string, string>> = {};

/** The settings under which a read is planned. */
export function planSettings({ table, conditions }: PlannedLevel): Readonly<Record<string, string>> {
  const filtered = new Set(conditions.flatMap(filteredColumn));
  return table.keptPlans.some((columns) => columns.every((name) => filtered.has(name))) ? KEEP : DECIDE;
}

/** The column that a condition compares as it is with values. */
function filteredColumn(condition: PlannedCondition): string[] {
  if (condition.kind !== 'test' || condition.negated || condition.field.path.length > 0) return [];
  const { column } = condition.field;
  return column.call === null && (condition.test.kind === 'compare' || condition.test.kind === 'in')
    ? [column.name]
    : [];
}
