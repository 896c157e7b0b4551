import type { Query } from '#server/db/database.ts';
import { quote } from '../core/quote.ts';
import {
  type ColumnRow,
  FUNCTIONS,
  type KeyRow,
  KEYS,
  PRIMARY_KEYS,
  type RoutineRow,
  type TableRow,
  TABLES,
  TYPES,
  VIEW_RULES,
} from './queries.ts';
import { findRelationships, joiningTables, keyOfView, traceViews } from './relationships.ts';
import type { Column, Relationship, Routine, Schema, SchemaCache, Table } from './schema.ts';

/** The exposed schemas, and further ones searched for types and computed columns. */
export type VisibleSchemas = { readonly schemas: readonly string[]; readonly searched: readonly string[] };

/** Reads the schema cache as the server's own role, not as a caller. Throws `DatabaseError`. */
export async function readSchemaCache(query: Query, { schemas, searched }: VisibleSchemas): Promise<SchemaCache> {
  // With an empty search_path PostgreSQL writes types and defaults with their schema, so that their meaning does not depend on a later
  // path.
  await query(`select set_config('search_path', '', true)`);
  const keys = (await query<KeyRow>(KEYS)).rows;
  const primary = (await query<{ oid: number; columns: number[] }>(PRIMARY_KEYS)).rows;
  const keyed = new Map(primary.map((row) => [row.oid, row.columns]));
  // Junction tables are read too, because they connect exposed tables even if they are hidden themselves.
  const tableRows = (await query<TableRow>(TABLES, [schemas, joiningTables(keys, keyed)])).rows;
  const rules = (await query<{ oid: number; rule: string }>(VIEW_RULES)).rows;
  const routineRows = (await query<RoutineRow>(FUNCTIONS, [schemas, searched])).rows;
  const types = (await query<{ name: string; sql: string }>(TYPES, [[...schemas, ...searched]])).rows;

  const traces = traceViews(rules);
  const exposed = tableRows.map((row) => {
    const key = row.view ? keyOfView(row, keyed, traces) : row.primary_key;
    const functions = routineRows.filter(
      (routine) => routine.takes === row.oid && !routine.set && routine.columns === null,
    );
    return { row, table: toTable(row, key, functions.filter(givesValue)) };
  });
  const byOid = new Map(exposed.map((entry) => [entry.row.oid, entry.table]));
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
              relationships.filter((relationship) => relationship.from === table && relationship.to.schema === name),
            ]),
          ),
          routines: groupBy(routines.filter((routine) => routine.schema === name)),
          types: new Map(types.map((type) => [type.name, type.sql])),
        },
      ];
    }),
  );
}

/** Whether callers can pass the arguments. An unnamed argument receives the body, so it must be the only one and of a body's type. */
function isCallable({ arguments: list }: RoutineRow): boolean {
  const [only] = list;
  return (
    list.every(({ name }) => name !== '') || (list.length === 1 && only !== undefined && BODY_TYPES.has(only.type))
  );
}
const BODY_TYPES = new Set(['bytea', 'json', 'jsonb', 'text', 'xml']);

const givesValue = (row: RoutineRow): boolean => row.result !== 'void';

/** Returns a computed relationship for a function that takes one row and returns rows of an exposed relation. */
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
    computed: new Map(functions.map((routine) => [routine.name, toComputedColumn(routine)])),
    primaryKey,
    takes: row.takes,
    keptPlans: row.kept_plans,
    sameForGuests: row.same_for_guests,
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
          keptPlans: [],
          sameForGuests: false,
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

/** Returns the function's statement_timeout, which applies to the whole call, as in PostgREST. */
function hoisted(settings: readonly string[]): Record<string, string> {
  const found = settings.find((setting) => setting.startsWith('statement_timeout='));
  return found === undefined ? {} : { statement_timeout: found.slice(found.indexOf('=') + 1) };
}

function groupBy(routines: readonly Routine[]): Map<string, Routine[]> {
  const groups = new Map<string, Routine[]>();
  for (const routine of routines) groups.set(routine.name, [...(groups.get(routine.name) ?? []), routine]);
  return groups;
}
