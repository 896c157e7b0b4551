import type { Relationship } from '../catalogue/catalogue.ts';
import { COMPARISONS } from '../parse/query.ts';
import type { Embed, PlannedCondition, PlannedField, PlannedItem, PlannedLevel, PlannedOrder } from '../plan/read.ts';
import type { Printer } from './printer.ts';

/**
 * The third stage: a plan as SQL. Identifiers come from the catalogue, everything a caller wrote is a `$n`, and the answer's
 * JSON is made by the database.
 */

/** How the answer is written: a list, one CSV text, and whether nulls are left out. */
export type Shape = { readonly format: 'json' | 'csv'; readonly stripNulls: boolean };
/** Where rows come from: a table, or what a statement before it gave. `capped`: at most the printer's rows are shown. */
export type Source = { readonly sql: string; readonly capped: boolean };

/**
 * `select <body>, <count> from (…) x`: the text of all rows, and how many they are.
 */
export function printRows(
  printer: Printer,
  level: PlannedLevel,
  source: Source,
  shape: Shape,
): { columns: string; from: string } {
  const rows = printLevel(printer, level, source.sql, null);
  const cut = printCut(printer, level, source.capped ? printer.maxRows : null);
  const body = shape.format === 'csv' ? printCsv(printer, rows.keys) : printList(printer, rows, shape.stripNulls);
  return { columns: `${body} as body, count(*) as count`, from: `(${rows.select}${cut}) x` };
}

/** How many rows there are without limit and offset; counting stops at `most`. */
export function printTotal(printer: Printer, level: PlannedLevel, source: string, most: number | null): string {
  const rows = isGrouped(level)
    ? printLevel(printer, level, source, null).select
    : printCounted(printer, level, source);
  return `(select count(*) from (${rows}${most === null ? '' : ` limit ${most}`}) x)`;
}

/** The rows without anything shown of them. */
export function printCounted(printer: Printer, level: PlannedLevel, source: string): string {
  const alias = printer.alias();
  return `select from ${source} as ${alias}${printWhere(printer, alias, level.conditions)}`;
}

export function printWhere(
  printer: Printer,
  alias: string,
  conditions: readonly PlannedCondition[],
  more: readonly string[] = [],
): string {
  const all = [...more, ...conditions.map((condition) => printCondition(printer, alias, condition))];
  return all.length === 0 ? '' : ` where ${all.join(' and ')}`;
}

/** A level as a subquery. `named`: its columns are called as the answer's keys; else they are c1, c2 … and the keys are values. */
type Rows = { readonly select: string; readonly named: boolean; readonly keys: readonly string[] };

function printList(printer: Printer, rows: Rows, stripNulls: boolean): string {
  const list = `json_agg(${printObject(printer, rows)})`;
  return `coalesce(${stripNulls ? `json_strip_nulls(${list})` : list}, '[]')::text`;
}

/** More than fifty pairs do not fit into one call. */
const PAIRS_MAX = 50;

function printObject(printer: Printer, rows: Rows): string {
  if (rows.named) return 'x.*';
  const pairs = rows.keys.map((key, at) => `${printer.bind({ from: 'constant', value: key })}::text, x.c${at + 1}`);
  if (pairs.length <= PAIRS_MAX) return `json_build_object(${pairs.join(', ')})`;
  const parts: string[] = [];
  for (let at = 0; at < pairs.length; at += PAIRS_MAX)
    parts.push(`jsonb_build_object(${pairs.slice(at, at + PAIRS_MAX).join(', ')})`);
  return `(${parts.join(' || ')})::json`;
}

function printCsv(printer: Printer, keys: readonly string[]): string {
  const head = keys.map((key) => (/[",\n\r]/.test(key) ? `"${key.replaceAll('"', '""')}"` : key)).join(',');
  const line = 'substring((x.*)::text, 2, length((x.*)::text) - 2)';
  return `${printer.bind({ from: 'constant', value: head })}::text || coalesce(chr(10) || string_agg(${line}, chr(10)), '')`;
}

/** The row a level belongs to, when it is embedded. */
type Outer = { readonly alias: string; readonly relationship: Relationship };

function printLevel(printer: Printer, level: PlannedLevel, source: string, outer: Outer | null): Rows {
  const alias = printer.alias();
  const laterals: string[] = [];
  const shown = level.items.flatMap((item) => printItem(printer, alias, item, laterals));
  const named = shown.every((one) => one.identifier !== null);
  const list = shown.map((one, at) => `${one.sql} as ${named ? one.identifier : `c${at + 1}`}`).join(', ');
  const join = outer ? printJoin(printer, outer.alias, alias, outer.relationship) : NO_JOIN;
  const where = printWhere(printer, alias, level.conditions, join.conditions);
  const rest = `${printGroups(level, shown)}${printOrder(printer, alias, level.order)}`;
  const select = `select ${list} from ${source} as ${alias}${join.middle}${laterals.join('')}${where}${rest}`;
  return { select, named, keys: shown.map((one) => one.key) };
}

/** One column of a level: its expression, its key, and the catalogue's identifier when that is its key. */
type Shown = {
  readonly sql: string;
  readonly key: string;
  readonly identifier: string | null;
  readonly groupBy: readonly string[];
};

function printItem(printer: Printer, alias: string, item: PlannedItem, laterals: string[]): Shown[] {
  switch (item.kind) {
    case 'field': {
      const plain = printField(printer, alias, item.field);
      const cast = item.cast === null ? plain : `(${plain})::${item.cast}`;
      const identifier =
        item.aggregate === null && item.field.path.length === 0 && item.key === item.field.column.name
          ? item.field.column.sql
          : null;
      if (item.aggregate === null) return [{ sql: cast, key: item.key, identifier, groupBy: [cast] }];
      const { name, cast: result } = item.aggregate;
      const sum = `${name}(${cast})`;
      return [{ sql: result === null ? sum : `${sum}::${result}`, key: item.key, identifier, groupBy: [] }];
    }
    case 'count':
      return [
        { sql: `count(*)${item.cast === null ? '' : `::${item.cast}`}`, key: item.key, identifier: null, groupBy: [] },
      ];
    case 'embed':
      return [
        {
          sql: printEmbed(printer, alias, item.embed),
          key: item.key,
          identifier: item.named ? identifierOf(item.embed.relationship, item.key) : null,
          groupBy: item.embed.relationship.fromColumns.map((name) =>
            printColumn(alias, item.embed.relationship.from, name),
          ),
        },
      ];
    case 'spread': {
      const inside = printer.alias();
      const rows = printEmbedded(printer, alias, item.embed);
      laterals.push(` left join lateral (${rows.select} limit 1) as ${inside} on true`);
      const names = rows.named ? spreadIdentifiers(item.embed.level) : rows.keys.map((_, at) => `c${at + 1}`);
      return rows.keys.map((key, at) => {
        const sql = `${inside}.${names[at] ?? ''}`;
        return { sql, key, identifier: rows.named ? (names[at] ?? null) : null, groupBy: [sql] };
      });
    }
  }
}

/** The names of a level whose keys are all the catalogue's own, in order. */
function spreadIdentifiers(level: PlannedLevel): string[] {
  return level.items.flatMap((item) => {
    if (item.kind === 'field') return [item.field.column.sql];
    if (item.kind === 'embed') return [identifierOf(item.embed.relationship, item.key) ?? ''];
    return item.kind === 'spread' ? spreadIdentifiers(item.embed.level) : [];
  });
}

/** An embedded relation is called after its table, its key's column or its constraint: whichever the request used. */
function identifierOf(one: Relationship, key: string): string | null {
  const known = [one.to.name, one.constraint, ...one.fromColumns];
  return known.includes(key) ? `"${key.replaceAll('"', '""')}"` : null;
}

function printColumn(alias: string, table: Relationship['from'], name: string): string {
  return `${alias}.${table.columns.get(name)?.sql ?? '""'}`;
}

function printField(printer: Printer, alias: string, field: PlannedField): string {
  const column = `${alias}.${field.column.sql}`;
  if (field.path.length === 0) return column;
  const steps = field.path.map((step) => {
    const key = printer.bind({ from: 'constant', value: step.key });
    return `${step.asText ? '->>' : '->'} ${key}::${/^-?\d{1,9}$/.test(step.key) ? 'int' : 'text'}`;
  });
  return `(${field.column.json ? column : `to_jsonb(${column})`} ${steps.join(' ')})`;
}

function printEmbed(printer: Printer, from: string, embed: Embed): string {
  const rows = printEmbedded(printer, from, embed);
  const object = printObject(printer, rows);
  if (!embed.many) return `(select ${rows.named ? `row_to_json(${object})` : object} from (${rows.select} limit 1) x)`;
  const cut = printCut(printer, embed.level, printer.maxRows);
  return `(select coalesce(json_agg(${object}), '[]') from (${rows.select}${cut}) x)`;
}

function printEmbedded(printer: Printer, alias: string, { level, relationship }: Embed): Rows {
  return printLevel(printer, level, relationship.to.sql, { alias, relationship });
}

/** What makes rows of the relation called `to` belong to the row called `from`; `middle` is the junction between them. */
type Join = { readonly middle: string; readonly conditions: readonly string[] };
const NO_JOIN: Join = { middle: '', conditions: [] };

function printJoin(printer: Printer, from: string, to: string, one: Relationship): Join {
  const own = one.fromColumns.map((name) => printColumn(from, one.from, name));
  const theirs = one.toColumns.map((name) => printColumn(to, one.to, name));
  const equal = (left: readonly string[], right: readonly string[]): string[] =>
    left.map((column, at) => `${column} = ${right[at] ?? ''}`);
  if (one.through === null) return { middle: '', conditions: equal(theirs, own) };
  const { table, fromColumns, toColumns } = one.through;
  const middle = printer.alias();
  const side = (names: readonly string[]): string[] => names.map((name) => printColumn(middle, table, name));
  return {
    middle: `, ${table.sql} as ${middle}`,
    conditions: [...equal(side(fromColumns), own), ...equal(side(toColumns), theirs)],
  };
}

function printCondition(printer: Printer, alias: string, condition: PlannedCondition): string {
  const not = condition.negated ? 'not ' : '';
  if (condition.kind === 'logic') {
    const of = condition.of.map((one) => printCondition(printer, alias, one));
    return `${not}(${of.join(` ${condition.operator} `)})`;
  }
  if (condition.kind === 'exists') {
    const inside = printer.alias();
    const { relationship, level } = condition.embed;
    const { middle, conditions } = printJoin(printer, alias, inside, relationship);
    const where = printWhere(printer, inside, level.conditions, conditions);
    return `${not}exists (select from ${relationship.to.sql} as ${inside}${middle}${where})`;
  }
  return `${not}(${printTest(printer, printField(printer, alias, condition.field), condition)})`;
}

const STATES = { null: 'null', not_null: 'not null', true: 'true', false: 'false', unknown: 'unknown' } as const;
const SEARCHES = {
  fts: 'to_tsquery',
  plfts: 'plainto_tsquery',
  phfts: 'phraseto_tsquery',
  wfts: 'websearch_to_tsquery',
} as const;

/** No value is given a type: the field decides, as it does for a literal. */
function printTest(
  printer: Printer,
  field: string,
  { test, field: planned }: PlannedCondition & { kind: 'test' },
): string {
  switch (test.kind) {
    case 'is':
      return `${field} is ${STATES[test.state]}`;
    case 'in':
      return `${field} = any(${printer.bind({ from: 'value', at: test.value, as: 'list' })})`;
    case 'search': {
      const language =
        test.language === null ? '' : `${printer.bind({ from: 'constant', value: test.language })}::text::regconfig, `;
      const asked = `${SEARCHES[test.operator]}(${language}${printer.bind({ from: 'value', at: test.value, as: 'text' })}::text)`;
      const ready = planned.column.type === 'tsvector' && planned.path.length === 0;
      return `${ready ? field : `to_tsvector(${language}${field})`} @@ ${asked}`;
    }
    case 'compare': {
      const pattern = test.operator === 'like' || test.operator === 'ilike';
      const value = printer.bind({ from: 'value', at: test.value, as: pattern ? 'pattern' : 'text' });
      const right = test.quantifier === null ? value : `${test.quantifier}(${value})`;
      return `${field} ${COMPARISONS[test.operator]} ${right}`;
    }
  }
}

function printCut(printer: Printer, { limit, offset }: PlannedLevel, max: number | null): string {
  const most = limit === null ? max : `${printer.bind({ from: 'value', at: limit, as: 'limit', max })}::bigint`;
  const skip = offset === null ? '' : ` offset ${printer.bind({ from: 'value', at: offset, as: 'offset' })}::bigint`;
  return `${most === null ? '' : ` limit ${most}`}${skip}`;
}

function isGrouped(level: PlannedLevel): boolean {
  return level.items.some((item) => item.kind === 'count' || (item.kind === 'field' && item.aggregate !== null));
}

function printGroups(level: PlannedLevel, shown: readonly Shown[]): string {
  if (!isGrouped(level)) return '';
  const by = [...new Set(shown.flatMap((one) => one.groupBy))];
  return by.length === 0 ? '' : ` group by ${by.join(', ')}`;
}

function printOrder(printer: Printer, alias: string, order: readonly PlannedOrder[]): string {
  if (order.length === 0) return '';
  const parts = order.map((one) => {
    const direction = `${one.descending ? ' desc' : ''}${one.nulls === null ? '' : ` nulls ${one.nulls}`}`;
    if (one.embed === null) return `${printField(printer, alias, one.field)}${direction}`;
    const inside = printer.alias();
    const { middle, conditions } = printJoin(printer, alias, inside, one.embed.relationship);
    const value = `select ${printField(printer, inside, one.field)} from ${one.embed.relationship.to.sql} as ${inside}${middle}`;
    return `(${value} where ${conditions.join(' and ')} limit 1)${direction}`;
  });
  return ` order by ${parts.join(', ')}`;
}
