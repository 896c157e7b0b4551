import type { KeyRow, TableRow } from './queries.ts';
import type { Relationship, Table } from './schema.ts';
import { agreedOrigins, type Origin, readOrigins } from './view-columns.ts';

/** The numbers of the primary key columns of each table (oid). */
export type KeyColumns = ReadonlyMap<number, readonly number[]>;
/** For each view, the tables that it shows, each with a map from the table's column numbers to the view's. */
export type Traces = ReadonlyMap<number, ReadonlyMap<number, ReadonlyMap<number, number>>>;

export function traceViews(rules: readonly { oid: number; rule: string }[]): Traces {
  const origins = new Map(rules.map((row) => [row.oid, readOrigins(row.rule)]));
  const followed = new Map<number, readonly Origin[]>();
  // Traces a view of a view to the tables of the inner one. The recursion ends because a view cannot contain itself.
  const follow = (view: number): readonly Origin[] => {
    const cached = followed.get(view);
    if (cached) return cached;
    const ends = (origins.get(view) ?? []).flatMap((origin) => {
      if (!origins.has(origin.fromTable)) return [origin];
      const inner = follow(origin.fromTable).find((candidate) => candidate.column === origin.fromColumn);
      return inner ? [{ ...inner, column: origin.column }] : [];
    });
    const agreed = agreedOrigins(ends);
    followed.set(view, agreed);
    return agreed;
  };
  const traces = new Map<number, Map<number, Map<number, number>>>();
  for (const view of origins.keys()) {
    const shown = new Map<number, Map<number, number>>();
    for (const { column, fromTable, fromColumn } of follow(view)) {
      const columns = shown.get(fromTable) ?? new Map<number, number>();
      if (!columns.has(fromColumn)) columns.set(fromColumn, column);
      shown.set(fromTable, columns);
    }
    traces.set(view, shown);
  }
  return traces;
}

/** Returns the key of a view: the key of the only table whose whole key the view shows. Empty if there are several such tables. */
export function keyOfView(view: TableRow, keyed: KeyColumns, traces: Traces): string[] {
  const found = [...(traces.get(view.oid) ?? [])].flatMap(([oid, shown]) => {
    const numbers = (keyed.get(oid) ?? []).map((number) => shown.get(number));
    const names = numbers.flatMap((number) =>
      view.columns.filter((column) => column.number === number).map((column) => column.name),
    );
    return numbers.length > 0 && names.length === numbers.length ? [names] : [];
  });
  return found.length === 1 ? (found[0] ?? []) : [];
}

/** Returns the junction tables, whose primary key contains the columns of at least two foreign keys. */
export function joiningTables(keys: readonly KeyRow[], keyed: KeyColumns): number[] {
  const found = new Map<number, number>();
  for (const { child, child_columns: columns } of keys) {
    const primary = keyed.get(child) ?? [];
    if (primary.length > 1 && columns.every((column) => primary.includes(column)))
      found.set(child, (found.get(child) ?? 0) + 1);
  }
  return [...found].flatMap(([table, count]) => (count > 1 ? [table] : []));
}

type Exposed = { readonly row: TableRow; readonly table: Table };

/** Finds every relationship between exposed relations, including views, that results from a foreign key. */
export function findRelationships(
  exposed: readonly Exposed[],
  keys: readonly KeyRow[],
  traces: Traces,
): Relationship[] {
  /** Returns the exposed relations that include all the given columns of a table, with each relation's names for those columns. */
  const showing = (oid: number, columns: readonly number[]): { table: Table; names: string[] }[] =>
    exposed.flatMap(({ row, table }) => {
      const shown = traces.get(row.oid)?.get(oid);
      if (row.oid !== oid && !shown) return [];
      const names = columns.flatMap((number) => {
        const own = row.oid === oid ? number : shown?.get(number);
        return row.columns.filter((column) => column.number === own).map((column) => column.name);
      });
      return names.length === columns.length ? [{ table, names }] : [];
    });

  const direct = keys.flatMap((key): Relationship[] =>
    showing(key.child, key.child_columns).flatMap((child) =>
      showing(key.parent, key.parent_columns).flatMap((parent): Relationship[] => [
        {
          constraint: key.name,
          cardinality: key.one ? 'one-to-one' : 'many-to-one',
          from: child.table,
          fromColumns: child.names,
          to: parent.table,
          toColumns: parent.names,
          through: null,
          call: null,
        },
        {
          constraint: key.name,
          cardinality: key.one ? 'one-to-one' : 'one-to-many',
          from: parent.table,
          fromColumns: parent.names,
          to: child.table,
          toColumns: child.names,
          through: null,
          call: null,
        },
      ]),
    ),
  );
  return [...direct, ...findJunctions(direct)];
}

/** Finds many-to-many relationships: a table whose primary key consists of two foreign keys connects the tables to which they refer. */
function findJunctions(direct: readonly Relationship[]): Relationship[] {
  const up = direct.filter(
    (relationship) => relationship.from.primaryKey.length > 1 && relationship.cardinality === 'many-to-one',
  );
  return up.flatMap((left) =>
    up
      .filter((right) => right.from === left.from && right !== left && right.constraint !== left.constraint)
      .filter((right) =>
        left.from.primaryKey.every((name) => left.fromColumns.includes(name) || right.fromColumns.includes(name)),
      )
      .filter((right) =>
        [...left.fromColumns, ...right.fromColumns].every((name) => left.from.primaryKey.includes(name)),
      )
      .map((right): Relationship => ({
        constraint: left.constraint,
        cardinality: 'many-to-many',
        from: left.to,
        fromColumns: left.toColumns,
        to: right.to,
        toColumns: right.toColumns,
        through: {
          table: left.from,
          fromColumns: left.fromColumns,
          toColumns: right.fromColumns,
          toConstraint: right.constraint,
        },
        call: null,
      })),
  );
}
