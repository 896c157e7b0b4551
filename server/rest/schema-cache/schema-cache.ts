import type { Query } from '#server/db/database.ts';
import { FUNCTIONS, KEYS, PRIMARY_KEYS, TABLES, TYPES, VIEW_RULES } from './queries.ts';
import { findRelationships, joiningTables, keyOfView, traceViews } from './relationships.ts';

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
  /** The function that makes a computed column of the whole row; null for a stored one. */
  readonly call: string | null;
};
export type Table = {
  readonly schema: string;
  readonly name: string;
  readonly sql: string;
  readonly view: boolean;
  readonly columns: ReadonlyMap<string, Column>;
  /** Columns made by a function of the row; not part of `*`. */
  readonly computed: ReadonlyMap<string, Column>;
  readonly primaryKey: readonly string[];
  /** What can be written to it at all, whoever asks: a view takes what it passes on or has a trigger for. */
  readonly takes: Writes;
};
type Writes = { readonly insert: boolean; readonly update: boolean; readonly remove: boolean };
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
  /** The function of the row that gives the related rows; `constraint` is its name, and it needs no columns. */
  readonly call: string | null;
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
  /** The media type a value is sent as, when its type is a domain called after one. */
  readonly media: { readonly type: string; readonly bytes: boolean } | null;
  /** What the function sets for itself and the whole transaction has to know, e.g. its statement_timeout. */
  readonly settings: Readonly<Record<string, string>>;
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
export type SchemaCache = ReadonlyMap<string, Schema>;

export type TableRow = {
  view: boolean;
  oid: number;
  schema: string;
  name: string;
  columns: ColumnRow[];
  primary_key: string[];
  takes: Writes;
};
type ColumnRow = { number: number; name: string; type: string; base: string; default: string | null };
export type KeyRow = {
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
  one: boolean;
  type: string;
  base: string;
  takes: number | null;
  media: string | null;
  settings: string[];
  arguments: { name: string; type: string; hasDefault: boolean; variadic: boolean }[];
  set: boolean;
  volatile: boolean;
  result: string;
  row_of: number;
  columns: ColumnRow[] | null;
};

export const quote = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`;

/** What the door may show: the schemas it answers for, and those whose types and computed columns are known besides. */
export type Shown = { readonly schemas: readonly string[]; readonly searched: readonly string[] };

/** Reads the catalogue as the server itself. Throws `DatabaseError`. */
export async function readSchemaCache(query: Query, { schemas, searched }: Shown): Promise<SchemaCache> {
  // Types and defaults are then written with their schema, whatever is searched when they are used.
  await query(`select set_config('search_path', '', true)`);
  const keys = (await query<KeyRow>(KEYS)).rows;
  const primary = (await query<{ oid: number; columns: number[] }>(PRIMARY_KEYS)).rows;
  const keyed = new Map(primary.map((one) => [one.oid, one.columns]));
  // A table that joins two others may do so without being shown itself.
  const tableRows = (await query<TableRow>(TABLES, [schemas, joiningTables(keys, keyed)])).rows;
  const rules = (await query<{ oid: number; rule: string }>(VIEW_RULES)).rows;
  const routineRows = (await query<RoutineRow>(FUNCTIONS, [schemas, searched])).rows;
  const types = (await query<{ name: string; sql: string }>(TYPES, [[...schemas, ...searched]])).rows;

  const traces = traceViews(rules);
  const exposed = tableRows.map((row) => {
    const key = row.view ? keyOfView(row, keyed, traces) : row.primary_key;
    const functions = routineRows.filter((one) => one.takes === row.oid && !one.set && one.columns === null);
    return { row, table: toTable(row, key, functions.filter(givesValue)) };
  });
  const byOid = new Map(exposed.map((one) => [one.row.oid, one.table]));
  const computed = routineRows.flatMap((row) => toComputed(row, byOid));
  const relationships = [...computed, ...findRelationships(exposed, keys, traces)];
  const routines = routineRows.filter(isCallable).map((row) => toRoutine(row, byOid.get(row.row_of)));
  return new Map(
    schemas.map((name): [string, Schema] => {
      const own = exposed.filter(({ table }) => table.schema === name);
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
          routines: groupBy(routines.filter((one) => one.schema === name)),
          types: new Map(types.map((type) => [type.name, type.sql])),
        },
      ];
    }),
  );
}

/** An argument without a name can only be a whole body, so it has to be the only one and of a type that a body has. */
function isCallable({ arguments: list }: RoutineRow): boolean {
  const [only] = list;
  return (
    list.every(({ name }) => name !== '') || (list.length === 1 && only !== undefined && BODY_TYPES.has(only.type))
  );
}
const BODY_TYPES = new Set(['bytea', 'json', 'jsonb', 'text', 'xml']);

const givesValue = (row: RoutineRow): boolean => row.result !== 'void';

/** A function of one row that gives rows of an exposed relation leads from the one to the other. */
function toComputed(row: RoutineRow, byOid: ReadonlyMap<number, Table>): Relationship[] {
  const from = row.takes === null ? undefined : byOid.get(row.takes);
  const to = byOid.get(row.row_of);
  if (!from || !to) return [];
  const cardinality = row.set && !row.one ? 'one-to-many' : 'many-to-one';
  const call = `${quote(row.schema)}.${quote(row.name)}`;
  return [{ constraint: row.name, cardinality, from, fromColumns: [], to, toColumns: [], through: null, call }];
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
        call: null,
      },
    ]),
  );
}

function toComputedColumn(row: RoutineRow): Column {
  const call = `${quote(row.schema)}.${quote(row.name)}`;
  const json = row.base === 'json' || row.base === 'jsonb';
  return { name: row.name, sql: quote(row.name), type: row.type, json, defaultSql: null, call };
}

function toTable(row: TableRow, primaryKey: readonly string[], functions: readonly RoutineRow[]): Table {
  return {
    schema: row.schema,
    name: row.name,
    sql: `${quote(row.schema)}.${quote(row.name)}`,
    view: row.view,
    columns: toColumns(row.columns),
    computed: new Map(functions.map((one) => [one.name, toComputedColumn(one)])),
    primaryKey,
    takes: row.takes,
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
          computed: new Map(),
          primaryKey: [],
          takes: { insert: false, update: false, remove: false },
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
    media: row.media === null ? null : { type: row.media, bytes: row.base === 'bytea' },
    settings: hoisted(row.settings),
  };
}

/** A limit of time that the function brings along holds for the call as a whole, as in PostgREST. */
function hoisted(settings: readonly string[]): Record<string, string> {
  const found = settings.find((one) => one.startsWith('statement_timeout='));
  return found === undefined ? {} : { statement_timeout: found.slice(found.indexOf('=') + 1) };
}

function groupBy(routines: readonly Routine[]): Map<string, Routine[]> {
  const groups = new Map<string, Routine[]>();
  for (const routine of routines) groups.set(routine.name, [...(groups.get(routine.name) ?? []), routine]);
  return groups;
}
