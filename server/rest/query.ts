import type { Catalogue, Column, DatabaseFunction, Relationship, Table } from './catalogue.ts';
import { restErrors } from './errors.ts';
import {
  type Condition,
  type Level,
  levelAt,
  type Operator,
  type Parsed,
  parseList,
  type SelectItem,
} from './parse.ts';

/** SQL with its values. Identifiers in it come from the catalogue alone, everything a caller wrote is a `$n`. */
export type Sql = { readonly text: string; readonly values: readonly unknown[] };
/** The columns of the one row every table request answers: `body` (JSON text), `count` (rows in it), `total` (rows there are, or null). */
export type ReplyRow = { body: string; count: number; total: number | null };

export type ReadOptions = { readonly count: boolean; readonly maxRows: number };
export type WriteOptions = { readonly returning: boolean; readonly count: boolean };

const quote = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`;
const CASTS = new Set([
  'text',
  'int',
  'integer',
  'int4',
  'int8',
  'bigint',
  'numeric',
  'float8',
  'boolean',
  'bool',
  'date',
  'timestamptz',
  'uuid',
  'json',
  'jsonb',
]);

/** Collects values while text is written. */
class Values {
  readonly list: unknown[] = [];
  add(value: unknown): string {
    this.list.push(value);
    return `$${this.list.length}`;
  }
}

export function tableOf(catalogue: Catalogue, name: string): Table {
  const table = catalogue.tables.get(name);
  if (!table) throw restErrors.noTable(name.slice(0, 63));
  return table;
}
function columnOf(table: Table, name: string): Column {
  const column = table.columns.get(name);
  if (!column) throw restErrors.noColumn(table.name, name);
  return column;
}

const COMPARE: Readonly<Partial<Record<Operator, string>>> = {
  eq: '=',
  neq: '<>',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
  cs: '@>',
  cd: '<@',
  ov: '&&',
  match: '~',
  imatch: '~*',
  isdistinct: 'is distinct from',
};
const IS: Readonly<Record<string, string>> = {
  null: 'null',
  not_null: 'not null',
  true: 'true',
  false: 'false',
  unknown: 'unknown',
};

function writeCondition(table: Table, alias: string, condition: Condition, values: Values): string {
  if (condition.kind === 'logic') {
    const inner = condition.of.map((one) => writeCondition(table, alias, one, values)).join(` ${condition.operator} `);
    return `${condition.negated ? 'not ' : ''}(${inner})`;
  }
  const column = columnOf(table, condition.column);
  const field = `${alias}.${quote(column.name)}`;
  const not = condition.negated ? 'not ' : '';
  switch (condition.operator) {
    case 'in':
      return `${not}(${field} = any(${values.add(parseList(condition.value))}::${column.type}[]))`;
    case 'is': {
      const word = IS[condition.value.toLowerCase()];
      if (!word) throw restErrors.query(`is.${condition.value.slice(0, 20)}`);
      return `${not}(${field} is ${word})`;
    }
    case 'like':
    case 'ilike':
      return `${not}(${field}::text ${condition.operator} ${values.add(condition.value.replaceAll('*', '%'))})`;
    case 'match':
    case 'imatch':
      return `${not}(${field}::text ${COMPARE[condition.operator] ?? '~'} ${values.add(condition.value)})`;
    default:
      return `${not}(${field} ${COMPARE[condition.operator] ?? '='} ${values.add(condition.value)}::${column.type})`;
  }
}

function writeWhere(table: Table, alias: string, level: Level, values: Values, more: readonly string[] = []): string {
  const all = [...more, ...level.conditions.map((condition) => writeCondition(table, alias, condition, values))];
  return all.length === 0 ? '' : ` where ${all.join(' and ')}`;
}
function writeOrder(table: Table, alias: string, level: Level): string {
  if (level.order.length === 0) return '';
  const parts = level.order.map(
    (order) =>
      `${alias}.${quote(columnOf(table, order.column).name)}${order.descending ? ' desc' : ''}${order.nulls ? ` nulls ${order.nulls}` : ''}`,
  );
  return ` order by ${parts.join(', ')}`;
}

type Writer = { readonly catalogue: Catalogue; readonly parsed: Parsed; readonly values: Values; aliases: number };

function findRelationship(catalogue: Catalogue, from: Table, item: SelectItem & { kind: 'embed' }): Relationship {
  const reaching = catalogue.relationships.filter(
    (one) =>
      one.from === from.name &&
      (one.to === item.relation ||
        one.constraint === item.relation ||
        (!one.many && one.fromColumns.length === 1 && one.fromColumns[0] === item.relation)),
  );
  const hinted =
    item.hint === null
      ? reaching
      : reaching.filter(
          (one) =>
            one.constraint === item.hint ||
            one.fromColumns.includes(item.hint ?? '') ||
            one.toColumns.includes(item.hint ?? ''),
        );
  const [only, ...others] = hinted;
  if (!only) throw restErrors.noRelation(from.name, item.relation);
  if (others.length > 0) {
    throw restErrors.ambiguous(
      from.name,
      item.relation,
      hinted.map((one) => ({
        cardinality: one.many ? 'one-to-many' : 'many-to-one',
        embedding: `${one.from} with ${one.to}`,
        relationship: `${one.constraint} using ${one.from}(${one.fromColumns.join(', ')}) and ${one.to}(${one.toColumns.join(', ')})`,
      })),
    );
  }
  return only;
}

/** The select list of a level, and the conditions that its `!inner` embeds add. */
function writeSelect(
  writer: Writer,
  table: Table,
  alias: string,
  items: readonly SelectItem[],
  path: string,
): { list: string; conditions: string[] } {
  const list: string[] = [];
  const conditions: string[] = [];
  for (const item of items) {
    if (item.kind === 'star')
      list.push(...[...table.columns.values()].map((column) => `${alias}.${quote(column.name)}`));
    else if (item.kind === 'column') {
      const column = columnOf(table, item.name);
      if (item.cast !== null && !CASTS.has(item.cast)) throw restErrors.query(`::${item.cast}`);
      list.push(
        `${alias}.${quote(column.name)}${item.cast === null ? '' : `::${item.cast}`} as ${quote(item.alias ?? column.name)}`,
      );
    } else {
      const embedded = writeEmbed(writer, table, alias, item, path);
      list.push(`${embedded.value} as ${quote(item.alias ?? item.relation)}`);
      if (item.inner) conditions.push(embedded.exists);
    }
  }
  if (list.length === 0) throw restErrors.query('select is empty');
  return { list: list.join(', '), conditions };
}

function writeEmbed(
  writer: Writer,
  from: Table,
  fromAlias: string,
  item: SelectItem & { kind: 'embed' },
  path: string,
): { value: string; exists: string } {
  const relationship = findRelationship(writer.catalogue, from, item);
  const table = tableOf(writer.catalogue, relationship.to);
  const named = item.alias ?? item.relation;
  const inside = path === '' ? named : `${path}.${named}`;
  const level = levelAt(writer.parsed, inside);
  const alias = `e${(writer.aliases += 1)}`;
  const join = relationship.toColumns.map(
    (column, at) => `${alias}.${quote(column)} = ${fromAlias}.${quote(relationship.fromColumns[at] ?? '')}`,
  );
  const { list, conditions } = writeSelect(writer, table, alias, item.select, inside);
  const where = writeWhere(table, alias, level, writer.values, [...join, ...conditions]);
  const source = `from public.${quote(table.name)} ${alias}${where}`;
  const limit = level.limit === null ? '' : ` limit ${level.limit}`;
  const value = relationship.many
    ? `(select coalesce(json_agg(row_to_json(x.*)), '[]') from (select ${list} ${source}${writeOrder(table, alias, level)}${limit} offset ${level.offset}) x)`
    : `(select row_to_json(x.*) from (select ${list} ${source} limit 1) x)`;
  return { value, exists: `exists (select 1 ${source})` };
}

/** A read of a table or view. */
export function writeRead(catalogue: Catalogue, name: string, parsed: Parsed, options: ReadOptions): Sql {
  const writer: Writer = { catalogue, parsed, values: new Values(), aliases: 0 };
  const table = tableOf(catalogue, name);
  const level = levelAt(parsed, '');
  const { list, conditions } = writeSelect(writer, table, 't', parsed.select, '');
  const where = writeWhere(table, 't', level, writer.values, conditions);
  const from = `from public.${quote(table.name)} t${where}`;
  const limit = Math.min(level.limit ?? options.maxRows, options.maxRows);
  const total = options.count ? `(select count(*) ${from})` : 'null::bigint';
  return {
    text: `select coalesce(json_agg(row_to_json(r.*)), '[]')::text as body, count(*) as count, ${total} as total from (select ${list} ${from}${writeOrder(table, 't', level)} limit ${limit} offset ${level.offset}) r`,
    values: writer.values.list,
  };
}

/** What a write answers: nothing but its count, or the rows it touched as the select asks. */
function writeReturning(writer: Writer, table: Table, statement: string, options: WriteOptions): Sql {
  if (!options.returning)
    return {
      text: `with w as (${statement} returning 1) select '' as body, count(*) as count, count(*) as total from w`,
      values: writer.values.list,
    };
  const { list } = writeSelect(writer, table, 't', writer.parsed.select, '');
  const needed = columnsUsed(writer, table);
  return {
    text: `with t as (${statement} returning ${needed}) select coalesce(json_agg(row_to_json(r.*)), '[]')::text as body, count(*) as count, count(*) as total from (select ${list} from t) r`,
    values: writer.values.list,
  };
}

function columnsUsed(writer: Writer, table: Table): string {
  const names = new Set<string>();
  for (const item of writer.parsed.select) {
    if (item.kind === 'star') for (const column of table.columns.keys()) names.add(column);
    else if (item.kind === 'column') names.add(columnOf(table, item.name).name);
    else for (const column of findRelationship(writer.catalogue, table, item).fromColumns) names.add(column);
  }
  return [...names].map((column) => `w.${quote(column)}`).join(', ');
}

/** The rows of a JSON body, all keys known to the table. Throws `RestRefusal`. */
function readRows(
  table: Table,
  body: unknown,
  only: readonly string[] | null,
): { rows: Record<string, unknown>[]; columns: Column[] } {
  const rows = (Array.isArray(body) ? body : [body]).map((row: unknown) => {
    if (row === null || typeof row !== 'object' || Array.isArray(row)) throw restErrors.body('Empty or invalid json');
    return Object.fromEntries(Object.entries(row));
  });
  const names = only ?? [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const columns = names.map((column) => table.columns.get(column) ?? fail(table, column));
  return { rows, columns };
}
function fail(table: Table, column: string): never {
  throw restErrors.noWriteColumn(table.name, column.slice(0, 63));
}
const record = (columns: readonly Column[]): string =>
  columns.map((column) => `${quote(column.name)} ${column.type}`).join(', ');

export type Upsert = { readonly resolution: 'merge' | 'ignore' };

export function writeInsert(
  catalogue: Catalogue,
  name: string,
  parsed: Parsed,
  body: unknown,
  upsert: Upsert | null,
  options: WriteOptions,
): Sql | null {
  const writer: Writer = { catalogue, parsed, values: new Values(), aliases: 0 };
  const table = tableOf(catalogue, name);
  const { rows, columns } = readRows(table, body, parsed.columns);
  if (rows.length === 0) return null;
  const list = columns.map((column) => quote(column.name)).join(', ');
  const source =
    columns.length === 0
      ? 'default values'
      : `(${list}) select ${list} from json_to_recordset(${writer.values.add(JSON.stringify(rows))}::json) as r(${record(columns)})`;
  return writeReturning(
    writer,
    table,
    `insert into public.${quote(table.name)} as w ${source}${writeConflict(table, parsed, columns, upsert)}`,
    options,
  );
}

function writeConflict(table: Table, parsed: Parsed, columns: readonly Column[], upsert: Upsert | null): string {
  if (!upsert) return '';
  const target =
    parsed.onConflict.length > 0 ? parsed.onConflict.map((column) => columnOf(table, column).name) : table.primaryKey;
  if (target.length === 0) return '';
  const changed = columns
    .filter((column) => !target.includes(column.name))
    .map((column) => `${quote(column.name)} = excluded.${quote(column.name)}`);
  const what =
    upsert.resolution === 'ignore' || changed.length === 0 ? 'do nothing' : `do update set ${changed.join(', ')}`;
  return ` on conflict (${target.map(quote).join(', ')}) ${what}`;
}

export function writeUpdate(
  catalogue: Catalogue,
  name: string,
  parsed: Parsed,
  body: unknown,
  options: WriteOptions,
): Sql | null {
  const writer: Writer = { catalogue, parsed, values: new Values(), aliases: 0 };
  const table = tableOf(catalogue, name);
  if (Array.isArray(body)) throw restErrors.body('An update takes one object');
  const { rows, columns } = readRows(table, body, parsed.columns);
  if (columns.length === 0) return null;
  const set = columns.map((column) => `${quote(column.name)} = r.${quote(column.name)}`).join(', ');
  const source = `json_to_recordset(${writer.values.add(JSON.stringify(rows))}::json) as r(${record(columns)})`;
  const where = writeWhere(table, 'w', levelAt(parsed, ''), writer.values);
  return writeReturning(
    writer,
    table,
    `update public.${quote(table.name)} as w set ${set} from ${source}${where}`,
    options,
  );
}

export function writeDelete(catalogue: Catalogue, name: string, parsed: Parsed, options: WriteOptions): Sql {
  const writer: Writer = { catalogue, parsed, values: new Values(), aliases: 0 };
  const table = tableOf(catalogue, name);
  const where = writeWhere(table, 'w', levelAt(parsed, ''), writer.values);
  return writeReturning(writer, table, `delete from public.${quote(table.name)} as w${where}`, options);
}

/** The function whose arguments these are. */
export function functionOf(catalogue: Catalogue, name: string, given: readonly string[]): DatabaseFunction {
  const found = catalogue.functions.get(name)?.find((one) => {
    const known = one.arguments.map((argument) => argument.name);
    return (
      given.every((argument) => known.includes(argument)) &&
      one.arguments.every((argument) => argument.hasDefault || given.includes(argument.name))
    );
  });
  if (!found) throw restErrors.noFunction(name.slice(0, 63));
  return found;
}

export function writeCall(called: DatabaseFunction, given: Readonly<Record<string, unknown>>, maxRows: number): Sql {
  const values = new Values();
  const args = called.arguments
    .filter((argument) => Object.hasOwn(given, argument.name))
    .map((argument) => {
      const value = given[argument.name];
      const json = argument.type === 'json' || argument.type === 'jsonb';
      return `${quote(argument.name)} := ${values.add(json ? JSON.stringify(value) : value)}::${argument.type}`;
    });
  const call = `public.${quote(called.name)}(${args.join(', ')})`;
  if (called.returnsNothing)
    return {
      text: `select 'null' as body, 0::bigint as count, null::bigint as total from (select ${call}) r`,
      values: values.list,
    };
  if (called.returnsRow || called.returnsSet) {
    const rows = `(select * from ${call} limit ${maxRows}) r`;
    const one = called.returnsRow ? 'row_to_json(r.*)' : 'to_json(r.*)';
    const body = called.returnsSet
      ? `coalesce(json_agg(${one}), '[]')::text`
      : `coalesce((json_agg(${one}) -> 0)::text, 'null')`;
    return { text: `select ${body} as body, count(*) as count, count(*) as total from ${rows}`, values: values.list };
  }
  return {
    text: `select coalesce(to_json(${call})::text, 'null') as body, 1::bigint as count, null::bigint as total`,
    values: values.list,
  };
}
