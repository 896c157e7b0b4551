import type { Database, Query } from '#server/db/database.ts';
import { VIEW_RULES } from '#server/rest/schema-cache/queries.ts';
import { traceViews } from '#server/rest/schema-cache/relationships.ts';
import { readSchemaCache } from '#server/rest/schema-cache/schema-cache.ts';
import type { Schema } from '#server/rest/schema-cache/schema.ts';
import { renderFunctions } from './render-functions.ts';
import { type ColumnFacts, type Facts, renderTypes } from './render-types.ts';

/** The schema that supabase-js reads and writes. */
const SCHEMA = 'public';
/** The schema whose functions the server calls. */
const INNER_SCHEMA = 'private';

/** Returns the text of `database/types.ts`: the public schema of a migrated database, and the functions that the server calls. */
export function generateTypes(db: Database): Promise<string> {
  return db.transaction(({ query }) => readTypes(query));
}

async function readTypes(query: Query): Promise<string> {
  const types = renderTypes(await readSchema(query, SCHEMA), await readFacts(query, SCHEMA));
  const functions = renderFunctions(await readSchema(query, INNER_SCHEMA), await readResults(query, INNER_SCHEMA));
  return `${types}\n${functions}`;
}

async function readSchema(query: Query, name: string): Promise<Schema> {
  const schema = (await readSchemaCache(query, { schemas: [name], searched: [] })).get(name);
  if (schema === undefined) throw new Error(`the database has no schema ${name}`);
  return schema;
}

async function readFacts(query: Query, schema: string): Promise<Facts> {
  const columns = await query<ColumnRow>(
    `select c.oid::int8 as oid, a.attnum as number, c.relname || '.' || a.attname as name, not a.attnotnull as nullable,
       not a.attnotnull or a.atthasdef or a.attidentity <> '' as optional, a.attgenerated <> '' or a.attidentity = 'a' as generated
     from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid
     where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'p', 'v') and a.attnum > 0 and not a.attisdropped`,
    [schema],
  );
  const getValues = await readCheckedValues(query);
  return {
    columns: new Map(
      columns.rows.map((row): [string, ColumnFacts] => [row.name, { ...row, values: getValues(row.oid, row.number) }]),
    ),
    results: await readResults(query, schema),
  };
}

/** Reads the type of one value of the result of each function. */
async function readResults(query: Query, schema: string): Promise<ReadonlyMap<string, string>> {
  const { rows } = await query<{ name: string; type: string }>(
    `select p.proname as name, pg_catalog.format_type(p.prorettype, null) as type
     from pg_catalog.pg_proc p where p.pronamespace = $1::regnamespace`,
    [schema],
  );
  return new Map(rows.map(({ name, type }) => [name, type]));
}
type ColumnRow = Omit<ColumnFacts, 'values'> & { readonly oid: number; readonly number: number; readonly name: string };

/**
 * Returns a function that lists the texts that a check allows in a column. For a column of a view, it lists those of the column that the
 * view shows.
 */
async function readCheckedValues(query: Query): Promise<(oid: number, number: number) => readonly string[] | null> {
  const checks = await query<{ place: string; definition: string }>(
    `select k.conrelid::int8 || '.' || k.conkey[1] as place, pg_catalog.pg_get_constraintdef(k.oid) as definition
     from pg_catalog.pg_constraint k where k.contype = 'c' and pg_catalog.cardinality(k.conkey) = 1`,
  );
  const values = new Map(
    checks.rows.flatMap(({ place, definition }) => {
      const list = LIST_OF_TEXTS.exec(definition)?.[1];
      return list === undefined
        ? []
        : [[place, [...list.matchAll(TEXT)].map(([, text = '']) => text.replaceAll("''", "'"))] as const];
    }),
  );
  const traces = traceViews((await query<{ oid: number; rule: string }>(VIEW_RULES)).rows);
  return (oid, number) => {
    const origins = [...(traces.get(oid) ?? [])].flatMap(([table, shown]) =>
      [...shown].filter(([, shownAs]) => shownAs === number).map(([column]) => `${table}.${column}`),
    );
    const [place = `${oid}.${number}`] = origins;
    return values.get(place) ?? null;
  };
}
/** Matches `column in ('a', 'b')` and `column = 'a'`, as PostgreSQL writes them back. */
const LIST_OF_TEXTS = /^CHECK \(\(\w+ = ((?:ANY \(ARRAY\[.*\]\))|'.*'::text)\)\)$/;
const TEXT = /'((?:[^']|'')*)'::text/g;
