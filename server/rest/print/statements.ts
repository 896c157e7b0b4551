import { type Column, quote, type Routine, type Table } from '../catalogue/catalogue.ts';
import type { PlannedCondition, PlannedItem, PlannedLevel, PlannedOrder } from '../plan/read.ts';
import type { PlannedCall, PlannedInsert } from '../plan/write.ts';
import type { Preferences } from '../parse/preferences.ts';
import { createPrinter, type Printer, type Statement } from './printer.ts';
import { printCounted, printRows, printTotal, printWhere, type Shape } from './rows.ts';

/**
 * Whole statements. Each answers one row: `body` (text to send as it is), `count` (rows in it), `total` (rows there are, or
 * changed; null when nobody asked), and for what may write also what it set for the reply.
 */
export type ReplyRow = {
  readonly body: string;
  readonly count: number;
  readonly total: number | null;
  /** `response.status` and `response.headers`, as a trigger or function set them. */
  readonly status?: string | null;
  readonly headers?: string | null;
  /** The primary key of the first new row, as JSON. */
  readonly key?: string | null;
};

/** How the rows of a write come back. */
export type Returning =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'key' }
  | { readonly kind: 'rows'; readonly level: PlannedLevel; readonly shape: Shape };

const SAID = `nullif(current_setting('response.status', true), '') as status, nullif(current_setting('response.headers', true), '') as headers`;
/** What a statement with a write calls the rows it wrote. */
const WRITTEN = 'w';

export function printRead(
  level: PlannedLevel,
  options: { shape: Shape; total: Preferences['count']; maxRows: number },
): Statement {
  const printer = createPrinter(options.maxRows);
  const { columns, from } = printRows(printer, level, { sql: level.table.sql, capped: true }, options.shape);
  // An estimate counts as far as one answer reaches; beyond that the planner is asked.
  const most = options.total === 'estimated' ? options.maxRows + 1 : null;
  const counts = options.total === 'exact' || options.total === 'estimated';
  const total = counts ? printTotal(printer, level, level.table.sql, most) : 'null::bigint';
  return { text: `select ${columns}, ${total} as total from ${from}`, binders: printer.binders };
}

/** How many rows the planner expects; answers the plan as JSON. */
export function printEstimate(level: PlannedLevel): Statement {
  const printer = createPrinter(0);
  return { text: `explain (format json) ${printCounted(printer, level, level.table.sql)}`, binders: printer.binders };
}

/** The body is always a JSON list by the time it is bound. */
export function printInsert(insert: PlannedInsert, returning: Returning): Statement {
  const printer = createPrinter(0);
  const { table, columns } = insert;
  const list = columns.map((column) => column.sql).join(', ');
  const target = `insert into ${table.sql} as ${WRITTEN}`;
  const source = columns.length === 0 ? 'default values' : `(${list}) ${printNewRows(printer, insert)}`;
  return printWrite(printer, `${target} ${source}${printConflict(insert)}`, table, returning);
}

function printNewRows(printer: Printer, { columns, defaults }: PlannedInsert): string {
  const body = printer.bind({ from: 'body' });
  if (!defaults) {
    const list = columns.map((column) => `r.${column.sql}`).join(', ');
    return `select ${list} from json_to_recordset(${body}::json) as r(${definitions(columns)})`;
  }
  const values = columns.map((column) => {
    if (column.defaultSql === null) return `r.${column.sql}`;
    const key = printer.bind({ from: 'constant', value: column.name });
    return `case when e.j ? ${key}::text then r.${column.sql} else ${column.defaultSql} end`;
  });
  return `select ${values.join(', ')} from jsonb_array_elements(${body}::jsonb) as e(j), lateral jsonb_to_record(e.j) as r(${definitions(columns)})`;
}

const definitions = (columns: readonly Column[]): string =>
  columns.map((column) => `${column.sql} ${column.type}`).join(', ');

function printConflict({ conflict, columns }: PlannedInsert): string {
  if (conflict === null) return '';
  const target = conflict.columns.map((column) => column.sql).join(', ');
  const changed = columns
    .filter((column) => !conflict.columns.includes(column))
    .map((column) => `${column.sql} = excluded.${column.sql}`);
  // Nothing left to change still has to touch the row, or it would not come back.
  const set = changed.length > 0 ? changed : conflict.columns.map((column) => `${column.sql} = excluded.${column.sql}`);
  return ` on conflict (${target}) ${conflict.merge ? `do update set ${set.join(', ')}` : 'do nothing'}`;
}

export function printUpdate(
  table: Table,
  columns: readonly Column[],
  conditions: readonly PlannedCondition[],
  returning: Returning,
): Statement {
  const printer = createPrinter(0);
  const body = printer.bind({ from: 'body' });
  const set = columns.map((column) => `${column.sql} = r.${column.sql}`).join(', ');
  const source = `json_to_recordset(${body}::json) as r(${definitions(columns)})`;
  const where = printWhere(printer, WRITTEN, conditions);
  return printWrite(printer, `update ${table.sql} as ${WRITTEN} set ${set} from ${source}${where}`, table, returning);
}

export function printDelete(table: Table, conditions: readonly PlannedCondition[], returning: Returning): Statement {
  const printer = createPrinter(0);
  const where = printWhere(printer, WRITTEN, conditions);
  return printWrite(printer, `delete from ${table.sql} as ${WRITTEN}${where}`, table, returning);
}

function printWrite(printer: Printer, write: string, table: Table, returning: Returning): Statement {
  const { binders } = printer;
  if (returning.kind === 'rows') {
    const { columns, from } = printRows(printer, returning.level, { sql: WRITTEN, capped: false }, returning.shape);
    const kept = printKept(returning.level);
    return {
      text: `with w as (${write} returning ${kept}) select ${columns}, (select count(*) from w) as total, ${SAID} from ${from}`,
      binders,
    };
  }
  const key = returning.kind === 'key' ? table.primaryKey.map((name) => `${WRITTEN}.${quote(name)}`) : [];
  const shown =
    key.length === 0 ? 'null' : `(select row_to_json(k.*)::text from (select ${key.join(', ')} from w limit 1) k)`;
  const kept = key.length === 0 ? '1' : key.join(', ');
  return {
    text: `with w as (${write} returning ${kept}) select '' as body, count(*) as count, count(*) as total, ${shown} as key, ${SAID} from w`,
    binders,
  };
}

/** Only what is shown is asked back: `returning *` would need the right to see every column. */
function printKept(level: PlannedLevel): string {
  const kept = new Set([...level.items.flatMap(neededBy), ...level.order.flatMap(neededByOrder)]);
  for (const condition of level.conditions)
    if (condition.kind === 'exists') for (const name of condition.embed.relationship.fromColumns) kept.add(quote(name));
  return kept.size === 0 ? '1' : [...kept].map((column) => `${WRITTEN}.${column}`).join(', ');
}
function neededBy(item: PlannedItem): string[] {
  if (item.kind === 'count') return [];
  return item.kind === 'field' ? [item.field.column.sql] : item.embed.relationship.fromColumns.map(quote);
}
function neededByOrder(order: PlannedOrder): string[] {
  return order.embed ? order.embed.relationship.fromColumns.map(quote) : [order.field.column.sql];
}

/** A function that gives rows: they are filtered, ordered and embedded like a table's. */
export function printRowsCall(
  call: PlannedCall,
  level: PlannedLevel,
  options: { shape: Shape; total: boolean; maxRows: number },
): Statement {
  const printer = createPrinter(options.maxRows);
  const called = printCall(printer, call);
  const { columns, from } = printRows(printer, level, { sql: WRITTEN, capped: call.routine.set }, options.shape);
  const total = options.total ? printTotal(printer, level, WRITTEN, null) : 'null::bigint';
  return {
    text: `with w as (select f.* from ${called} as f) select ${columns}, ${total} as total, ${SAID} from ${from}`,
    binders: printer.binders,
  };
}

/** A function that gives values or nothing. */
export function printValueCall(call: PlannedCall, maxRows: number): Statement {
  const printer = createPrinter(maxRows);
  const called = printCall(printer, call);
  const { set, gives } = call.routine;
  const cut = set ? ` limit ${maxRows}` : '';
  const value =
    gives === 'nothing'
      ? `''`
      : set
        ? `coalesce(json_agg(x.v), '[]')::text`
        : `coalesce((json_agg(x.v) -> 0)::text, 'null')`;
  const inside = gives === 'nothing' ? `select 1 as v from ${called} as f` : `select f.v from ${called} as f(v)${cut}`;
  return {
    text: `with x as (${inside}) select ${value} as body, count(*) as count, null::bigint as total, ${SAID} from x`,
    binders: printer.binders,
  };
}

function printCall(printer: Printer, { routine, given }: PlannedCall): string {
  if (given.from === 'whole body') return `${routine.sql}(${printer.bind({ from: 'body' })}::${argumentType(routine)})`;
  if (given.from === 'query') {
    const list = given.arguments.map(({ argument, value }) => {
      const written = printer.bind({ from: 'value', at: value, as: 'text' });
      return `${argument.variadic ? 'variadic ' : ''}${argument.sql} := ${written}::${argument.type}`;
    });
    return `${routine.sql}(${list.join(', ')})`;
  }
  if (given.arguments.length === 0) return `${routine.sql}()`;
  const body = printer.bind({ from: 'body' });
  const list = given.arguments.map((one) => `${one.variadic ? 'variadic ' : ''}${one.sql} := a.${one.sql}`);
  const record = given.arguments.map((one) => `${one.sql} ${one.type}`).join(', ');
  return `json_to_record(${body}::json) as a(${record}), lateral ${routine.sql}(${list.join(', ')})`;
}

const argumentType = (routine: Routine): string => routine.arguments[0]?.type ?? 'json';
