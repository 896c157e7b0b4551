import type { Query } from '#server/db/database.ts';
import { FUNCTIONS, KEYS, TABLES, TYPES, VIEW_RULES } from './queries.ts';
import { readOrigins } from './view-columns.ts';

/** What there is to ask for, read from the database itself. Names are as stored; `sql` is quoted and ready to print. */
export type Column = {
  readonly name: string;
  readonly sql: string;
  /** As a column definition takes it, e.g. `numeric(10,2)`. */
  readonly type: string;
  /** `json` or `jsonb` itself, so that a path needs no conversion. */
  readonly json: boolean;
  /** The expression of its default; null when there is none or it may not be written. */
  readonly defaultSql: string | null;
};
export type Table = {
  readonly schema: string;
  readonly name: string;
  readonly sql: string;
  readonly view: boolean;
  readonly columns: ReadonlyMap<string, Column>;
  readonly primaryKey: readonly string[];
};
/** A way from one relation to another, views included. `through` is the table in the middle of a many-to-many. */
export type Relationship = {
  readonly constraint: string;
  readonly cardinality: 'many-to-one' | 'one-to-one' | 'one-to-many' | 'many-to-many';
  readonly from: Table;
  readonly fromColumns: readonly string[];
  readonly to: Table;
  readonly toColumns: readonly string[];
  readonly through: {
    readonly table: Table;
    readonly fromColumns: readonly string[];
    readonly toColumns: readonly string[];
    readonly toConstraint: string;
  } | null;
};
export type Argument = {
  readonly name: string;
  readonly sql: string;
  readonly type: string;
  readonly hasDefault: boolean;
  readonly variadic: boolean;
};
export type Routine = {
  readonly schema: string;
  readonly name: string;
  readonly sql: string;
  readonly arguments: readonly Argument[];
  readonly volatile: boolean;
  readonly set: boolean;
  /** What a call gives: one value, a row of these columns, or nothing. */
  readonly gives: 'value' | 'row' | 'nothing';
  /** The row's columns; with the exposed table they belong to, when it is one. */
  readonly row: Table | null;
};
export type Schema = {
  readonly name: string;
  readonly tables: ReadonlyMap<string, Table>;
  /** By the relation they start from. */
  readonly relationships: ReadonlyMap<Table, readonly Relationship[]>;
  readonly routines: ReadonlyMap<string, readonly Routine[]>;
  /** Types a `::cast` may name. */
  readonly types: ReadonlyMap<string, string>;
};
/** By schema name, in the order they were configured; the first is the one meant when none is named. */
export type Catalogue = ReadonlyMap<string, Schema>;

type TableRow = {
  view: boolean;
  oid: number;
  schema: string;
  name: string;
  columns: ColumnRow[];
  primary_key: string[];
};
type ColumnRow = { number: number; name: string; type: string; base: string; default: string | null };
type KeyRow = {
  name: string;
  child: number;
  parent: number;
  child_columns: number[];
  parent_columns: number[];
  one: boolean;
};
type RoutineRow = {
  schema: string;
  name: string;
  arguments: { name: string; type: string; hasDefault: boolean; variadic: boolean }[];
  set: boolean;
  volatile: boolean;
  result: string;
  row_of: number;
  columns: ColumnRow[] | null;
};

export const quote = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`;

/** Reads the catalogue as the server itself. */
export async function readCatalogue(query: Query, schemas: readonly string[]): Promise<Catalogue> {
  const tables = (await query<TableRow>(TABLES, [schemas])).rows;
  const rules = (await query<{ oid: number; rule: string }>(VIEW_RULES)).rows;
  const keys = (await query<KeyRow>(KEYS)).rows;
  const routines = (await query<RoutineRow>(FUNCTIONS, [schemas])).rows;
  const types = (await query<{ name: string; sql: string }>(TYPES, [schemas])).rows;

  const byOid = new Map(tables.map((row) => [row.oid, { row, table: toTable(row) }]));
  const relationships = findRelationships([...byOid.values()], keys, traceViews(rules));
  return new Map(
    schemas.map((name): [string, Schema] => {
      const own = [...byOid.values()].filter(({ table }) => table.schema === name);
      return [
        name,
        {
          name,
          tables: new Map(own.map(({ table }) => [table.name, table])),
          relationships: new Map(
            own.map(({ table }) => [
              table,
              relationships.filter((one) => one.from === table && one.to.schema === name),
            ]),
          ),
          routines: groupBy(
            routines.filter((row) => row.schema === name).map((row) => toRoutine(row, byOid.get(row.row_of)?.table)),
          ),
          types: new Map(types.map((type) => [type.name, type.sql])),
        },
      ];
    }),
  );
}

function toColumns(rows: readonly ColumnRow[]): Map<string, Column> {
  return new Map(
    rows.map((row): [string, Column] => [
      row.name,
      {
        name: row.name,
        sql: quote(row.name),
        type: row.type,
        json: row.base === 'json' || row.base === 'jsonb',
        defaultSql: row.default,
      },
    ]),
  );
}

function toTable(row: TableRow): Table {
  return {
    schema: row.schema,
    name: row.name,
    sql: `${quote(row.schema)}.${quote(row.name)}`,
    view: row.view,
    columns: toColumns(row.columns),
    primaryKey: row.primary_key,
  };
}

function toRoutine(row: RoutineRow, exposed: Table | undefined): Routine {
  const sql = `${quote(row.schema)}.${quote(row.name)}`;
  const shape =
    row.columns === null
      ? null
      : (exposed ?? {
          schema: row.schema,
          name: row.name,
          sql,
          view: false,
          columns: toColumns(row.columns),
          primaryKey: [],
        });
  return {
    schema: row.schema,
    name: row.name,
    sql,
    arguments: row.arguments.map((argument) => ({ ...argument, sql: quote(argument.name) })),
    volatile: row.volatile,
    set: row.set,
    gives: row.result === 'void' ? 'nothing' : shape === null ? 'value' : 'row',
    row: shape,
  };
}

function groupBy(routines: readonly Routine[]): Map<string, Routine[]> {
  const groups = new Map<string, Routine[]>();
  for (const routine of routines) groups.set(routine.name, [...(groups.get(routine.name) ?? []), routine]);
  return groups;
}

/** For each view: the tables it shows, with the view's column number for a table's column number. */
type Traces = ReadonlyMap<number, ReadonlyMap<number, ReadonlyMap<number, number>>>;

function traceViews(rules: readonly { oid: number; rule: string }[]): Traces {
  const origins = new Map(rules.map((row) => [row.oid, readOrigins(row.rule)]));
  const traces = new Map<number, Map<number, Map<number, number>>>();
  for (const [view, columns] of origins) {
    const shown = new Map<number, Map<number, number>>();
    for (const column of columns) {
      let { fromTable, fromColumn } = column;
      // A view of a view leads on; a view cannot lead to itself.
      for (let inner = origins.get(fromTable); inner; inner = origins.get(fromTable)) {
        const next = inner.find((one) => one.column === fromColumn);
        if (!next) break;
        ({ fromTable, fromColumn } = next);
      }
      const known = shown.get(fromTable) ?? new Map<number, number>();
      if (!known.has(fromColumn)) known.set(fromColumn, column.column);
      shown.set(fromTable, known);
    }
    traces.set(view, shown);
  }
  return traces;
}

type Exposed = { readonly row: TableRow; readonly table: Table };

function findRelationships(exposed: readonly Exposed[], keys: readonly KeyRow[], traces: Traces): Relationship[] {
  /** The exposed relations that show all these columns of a table, with the names they have there. */
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
        },
        {
          constraint: key.name,
          cardinality: key.one ? 'one-to-one' : 'one-to-many',
          from: parent.table,
          fromColumns: parent.names,
          to: child.table,
          toColumns: child.names,
          through: null,
        },
      ]),
    ),
  );
  return [...direct, ...findJunctions(direct)];
}

/** A table whose primary key is made of two foreign keys joins the two tables they lead to. */
function findJunctions(direct: readonly Relationship[]): Relationship[] {
  const up = direct.filter((one) => one.from.primaryKey.length > 1 && one.cardinality === 'many-to-one');
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
      })),
  );
}
