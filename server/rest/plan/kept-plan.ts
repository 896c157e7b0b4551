import type { PlannedCondition, PlannedLevel } from './read.ts';

/**
 * Lets PostgreSQL keep the plan of a statement instead of planning it again for the values of each request. Used only where the database
 * declares that one plan suits all values (rest.kept_plan): elsewhere different values need very different plans.
 */
const KEEP: Readonly<Record<string, string>> = { plan_cache_mode: 'force_generic_plan' };
const DECIDE: Readonly<Record<string, string>> = {};

/** Returns the settings under which a read is planned. */
export function planSettings({ table, conditions }: PlannedLevel): Readonly<Record<string, string>> {
  const filtered = new Set(conditions.flatMap(filteredColumn));
  return table.keptPlans.some((columns) => columns.every((name) => filtered.has(name))) ? KEEP : DECIDE;
}

/** Returns the stored column that a condition compares with values, or nothing for any other condition. */
function filteredColumn(condition: PlannedCondition): string[] {
  if (condition.kind !== 'test' || condition.negated || condition.field.path.length > 0) return [];
  const { column } = condition.field;
  return column.call === null && (condition.test.kind === 'compare' || condition.test.kind === 'in')
    ? [column.name]
    : [];
}
