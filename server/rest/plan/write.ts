import type { Column, Table } from '../schema-cache/schema.ts';
import { restErrors } from '../core/errors.ts';
import { levelAt, type Parsed } from '../parse/query.ts';

/** The columns that an insert fills, and what it does on conflict. */
export type PlannedInsert = {
  readonly table: Table;
  readonly columns: readonly Column[];
  /** Whether a missing key means the column's default instead of null. */
  readonly defaults: boolean;
  readonly conflict: { readonly columns: readonly Column[]; readonly merge: boolean } | null;
  /** For PUT: the key columns and the indexes of the values they must hold. */
  readonly key: readonly { readonly column: Column; readonly value: number }[];
};
/** Returns the columns to write: those named by `columns=`, otherwise the keys of the body. */
export function planColumns(table: Table, names: readonly string[]): Column[] {
  return names.map((name) => {
    const column = table.columns.get(name);
    if (!column) throw restErrors.noWriteColumn(table.name, name);
    return column;
  });
}

export function planInsert(
  table: Table,
  parsed: Parsed,
  keys: readonly string[],
  options: { defaults: boolean; resolution: 'merge' | 'ignore' | null },
): PlannedInsert {
  const columns = planColumns(table, parsed.columns ?? keys);
  const target = parsed.onConflict.length > 0 ? parsed.onConflict : table.primaryKey;
  const conflict =
    options.resolution === null || target.length === 0 || columns.length === 0
      ? null
      : { columns: planColumns(table, target), merge: options.resolution === 'merge' };
  return { table, columns, defaults: options.defaults, conflict, key: [] };
}

/** Plans an upsert of the row at `?key=eq.value`. Throws PGRST105, PGRST114, PGRST115. */
export function planPut(table: Table, parsed: Parsed, keys: readonly string[], defaults: boolean): PlannedInsert {
  const { conditions, limit, offset } = levelAt(parsed, '');
  if (limit !== null || offset !== null) throw restErrors.putLimit();
  const key = conditions.map((condition) => {
    const { kind } = condition;
    if (kind !== 'test' || condition.negated || condition.field.path.length > 0) throw restErrors.putFilters();
    const { test, field } = condition;
    const column = table.columns.get(field.name);
    if (!column || test.kind !== 'compare' || test.operator !== 'eq' || test.quantifier !== null)
      throw restErrors.putFilters();
    return { column, value: test.value };
  });
  const named = new Set(key.map((entry) => entry.column.name));
  const whole = table.primaryKey.length > 0 && table.primaryKey.every((name) => named.has(name));
  if (!whole || named.size !== table.primaryKey.length || key.length !== named.size) throw restErrors.putFilters();
  const columns = planColumns(table, parsed.columns ?? keys);
  if (!table.primaryKey.every((name) => columns.some((column) => column.name === name))) throw restErrors.putKey();
  return { table, columns, defaults, conflict: { columns: planColumns(table, table.primaryKey), merge: true }, key };
}
