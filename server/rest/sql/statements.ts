import { quote } from '../core/quote.ts';
import type { Column, Relationship, Table } from '../schema-cache/schema.ts';
import type { Preferences } from '../parse/preferences.ts';
import type { PlannedCondition, PlannedItem, PlannedLevel, PlannedOrder } from '../plan/read.ts';
import type { PlannedInsert } from '../plan/write.ts';
import { buildWhere, WHOLE_ROW } from './conditions.ts';
import { createSqlBuilder, type SqlBuilder, type Statement } from './builder.ts';
import { buildCounted, buildRows, buildTotal, type Shape, type Source } from './rows.ts';

/**
 * The result of a whole statement, always one row. `body`: the text to send unchanged. `count`: the number of rows in it. `total`: the
 * number of rows that exist or were changed, null if not requested. Statements that may write also return the reply settings.
 */
export type ReplyRow = {
  readonly body: string;
  readonly count: number;
  readonly total: number | null;
  /** `response.status` and `response.headers` as set by a trigger or function. */
  readonly status?: string | null;
  readonly headers?: string | null;
  /** The primary key of the first new row, as JSON. */
  readonly key?: string | null;
  /** The number of new rows of an upsert. */
  readonly inserted?: string | null;
  /** The ETag of the last answer that was built from the row, and what else that answer showed. */
  shown?: { readonly about: string; readonly etag: string };
};

/** The part of the written rows that a write returns. */
export type Returning =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'key' }
  | { readonly kind: 'rows'; readonly level: PlannedLevel; readonly shape: Shape };

export const REPLY_SETTINGS = `nullif(current_setting('response.status', true), '') as status, nullif(current_setting('response.headers', true), '') as headers`;
/** The alias of the rows a statement writes. */
const WRITTEN = 'w';
const TARGET = { alias: WRITTEN, row: WRITTEN };

const toSource = (level: PlannedLevel): Source => ({ sql: level.table.sql, kept: false, capped: true });

export function buildRead(
  level: PlannedLevel,
  options: { shape: Shape; total: Preferences['count']; maxRows: number },
): Statement {
  const builder = createSqlBuilder(options.maxRows);
  const { columns, from } = buildRows(builder, level, toSource(level), options.shape);
  // `estimated` counts exactly up to one full answer. Beyond that the planner's estimate is used.
  const most = options.total === 'estimated' ? options.maxRows + 1 : null;
  const counts = options.total === 'exact' || options.total === 'estimated';
  const total = counts ? buildTotal(builder, level, toSource(level), most) : 'null::bigint';
  return { text: `select ${columns}, ${total} as total from ${from}`, binders: builder.binders };
}

/** Builds the query for the planner's estimate of the number of rows. The result is a query plan as JSON. */
export function buildEstimate(level: PlannedLevel): Statement {
  const builder = createSqlBuilder(0);
  return { text: `explain (format json) ${buildCounted(builder, level, toSource(level))}`, binders: builder.binders };
}

/** Builds an insert or upsert. The bound body is always a JSON list. */
export function buildInsert(insert: PlannedInsert, returning: Returning): Statement {
  const builder = createSqlBuilder(0);
  const { table, columns } = insert;
  const list = columns.map((column) => column.sql).join(', ');
  const target = `insert into ${table.sql} as ${WRITTEN}`;
  const source = columns.length === 0 ? 'default values' : `(${list}) ${buildNewRows(builder, insert)}`;
  return buildWrite(builder, `${target} ${source}${buildConflict(insert)}`, table, returning, countsNew(insert));
}

/**
 * Counts the new rows of an upsert as PostgREST does: each attempted row adds one, and each replaced row subtracts one. PUT attempts its
 * row only if the row's key matches the address.
 */
const INSERTED = `coalesce(nullif(current_setting('pgrst.inserted', true), '')::int, 0)`;
const countsNew = ({ conflict }: PlannedInsert): boolean => conflict?.merge === true;

function buildAttempted(builder: SqlBuilder, insert: PlannedInsert): string {
  const key = insert.key.map(
    ({ column, value }) => `r.${column.sql} = ${builder.bind({ from: 'value', at: value, as: 'text' })}`,
  );
  const count = countsNew(insert) ? [`set_config('pgrst.inserted', (${INSERTED} + 1)::text, true) <> '0'`] : [];
  const all = [...key, ...count];
  return all.length === 0 ? '' : ` where ${all.join(' and ')}`;
}

function buildNewRows(builder: SqlBuilder, insert: PlannedInsert): string {
  const { columns, defaults } = insert;
  const body = builder.bind({ from: 'body' });
  if (!defaults) {
    const list = columns.map((column) => `r.${column.sql}`).join(', ');
    return `select ${list} from json_to_recordset(${body}::json) as r(${definitions(columns)})${buildAttempted(builder, insert)}`;
  }
  const values = columns.map((column) => {
    if (column.defaultSql === null) return `r.${column.sql}`;
    const key = builder.bind({ from: 'constant', value: column.name });
    return `case when e.j ? ${key}::text then r.${column.sql} else ${column.defaultSql} end`;
  });
  return `select ${values.join(', ')} from jsonb_array_elements(${body}::jsonb) as e(j), lateral jsonb_to_record(e.j) as r(${definitions(columns)})${buildAttempted(builder, insert)}`;
}

const definitions = (columns: readonly Column[]): string =>
  columns.map((column) => `${column.sql} ${column.type}`).join(', ');

function buildConflict({ conflict, columns }: PlannedInsert): string {
  if (conflict === null) return '';
  const target = conflict.columns.map((column) => column.sql).join(', ');
  const changed = columns
    .filter((column) => !conflict.columns.includes(column))
    .map((column) => `${column.sql} = excluded.${column.sql}`);
  // Without a column to change, the key is set to itself, because the database would not return a row that is not updated.
  const set = changed.length > 0 ? changed : conflict.columns.map((column) => `${column.sql} = excluded.${column.sql}`);
  if (!conflict.merge) return ` on conflict (${target}) do nothing`;
  const counted = ` where set_config('pgrst.inserted', (${INSERTED} - 1)::text, true) <> '-1'`;
  return ` on conflict (${target}) do update set ${set.join(', ')}${counted}`;
}

export function buildUpdate(
  table: Table,
  columns: readonly Column[],
  conditions: readonly PlannedCondition[],
  returning: Returning,
): Statement {
  const builder = createSqlBuilder(0);
  const body = builder.bind({ from: 'body' });
  const set = columns.map((column) => `${column.sql} = r.${column.sql}`).join(', ');
  const source = `json_to_recordset(${body}::json) as r(${definitions(columns)})`;
  const where = buildWhere(builder, TARGET, conditions);
  return buildWrite(builder, `update ${table.sql} as ${WRITTEN} set ${set} from ${source}${where}`, table, returning);
}

export function buildDelete(table: Table, conditions: readonly PlannedCondition[], returning: Returning): Statement {
  const builder = createSqlBuilder(0);
  const where = buildWhere(builder, TARGET, conditions);
  return buildWrite(builder, `delete from ${table.sql} as ${WRITTEN}${where}`, table, returning);
}

function buildWrite(
  builder: SqlBuilder,
  write: string,
  table: Table,
  returning: Returning,
  counted = false,
): Statement {
  const { binders } = builder;
  const reply = counted
    ? `${REPLY_SETTINGS}, nullif(current_setting('pgrst.inserted', true), '') as inserted`
    : REPLY_SETTINGS;
  if (returning.kind === 'rows') {
    const source = { sql: WRITTEN, kept: true, capped: false };
    const { columns, from } = buildRows(builder, returning.level, source, returning.shape);
    const kept = buildKept(returning.level);
    return {
      text: `with w as (${write} returning ${kept}) select ${columns}, (select count(*) from w) as total, ${reply} from ${from}`,
      binders,
    };
  }
  const key = returning.kind === 'key' ? table.primaryKey.map((name) => `${WRITTEN}.${quote(name)}`) : [];
  const shown =
    key.length === 0 ? 'null' : `(select row_to_json(k.*)::text from (select ${key.join(', ')} from w limit 1) k)`;
  const kept = key.length === 0 ? '1' : key.join(', ');
  return {
    text: `with w as (${write} returning ${kept}) select '' as body, count(*) as count, count(*) as total, ${shown} as key, ${reply} from w`,
    binders,
  };
}

/** Returns only the needed columns. `returning *` would require the privilege to read every column. */
function buildKept(level: PlannedLevel): string {
  const needed = [...level.items.flatMap(neededBy), ...level.order.flatMap(neededByOrder)];
  for (const condition of level.conditions)
    if (condition.kind === 'exists') needed.push(...neededByRelation(condition.embed.relationship));
  const kept = [...new Set(needed)].map((name) =>
    name === WHOLE_ROW ? `${WRITTEN} as ${name}` : `${WRITTEN}.${name}`,
  );
  return kept.length === 0 ? '1' : kept.join(', ');
}
function neededBy(item: PlannedItem): string[] {
  if (item.kind === 'count') return [];
  return item.kind === 'field' ? [neededByColumn(item.field.column)] : neededByRelation(item.embed.relationship);
}
function neededByOrder(order: PlannedOrder): string[] {
  return order.embed ? neededByRelation(order.embed.relationship) : [neededByColumn(order.field.column)];
}
const neededByColumn = (column: Column): string => (column.call === null ? column.sql : WHOLE_ROW);
const neededByRelation = (relationship: Relationship): string[] =>
  relationship.call === null ? relationship.fromColumns.map(quote) : [WHOLE_ROW];
