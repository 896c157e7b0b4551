import type { Relationship, Table } from '../schema-cache/schema.ts';
import { COMPARISONS } from '../parse/query.ts';
import type { Embed, PlannedCondition, PlannedField, PlannedOrder } from '../plan/read.ts';
import type { SqlBuilder } from './builder.ts';

/** A relation in the SQL: its alias, and the SQL for its whole row, which some functions take as argument. */
export type RowSource = { readonly alias: string; readonly row: string };

/** The column that keeps the whole row of a write or function call if a function takes it as argument. */
export const WHOLE_ROW = 'whole_row';

export function buildColumn(alias: string, table: Table, name: string): string {
  return `${alias}.${table.columns.get(name)?.sql ?? '""'}`;
}

export function buildField(
  builder: SqlBuilder,
  rowSource: RowSource,
  { column: requested, path }: PlannedField,
): string {
  const column =
    requested.call === null ? `${rowSource.alias}.${requested.sql}` : `${requested.call}(${rowSource.row})`;
  if (path.length === 0) return column;
  const steps = path.map((step) => {
    const key = builder.bind({ from: 'constant', value: step.key });
    return `${step.asText ? '->>' : '->'} ${key}::${/^-?\d{1,9}$/.test(step.key) ? 'int' : 'text'}`;
  });
  return `(${requested.json ? column : `to_jsonb(${column})`} ${steps.join(' ')})`;
}

/** Related rows: their source, their alias, and the conditions that tie them to the outer row. */
export type Joined = { readonly from: string; readonly rowSource: RowSource; readonly conditions: readonly string[] };

/** Joins a relationship. `shown`: whether the rows are selected and not only tested for existence. */
export function buildJoin(builder: SqlBuilder, of: RowSource, relationship: Relationship, shown = false): Joined {
  const alias = builder.alias();
  const rowSource = { alias, row: alias };
  if (relationship.call !== null) {
    // A to-one function without a match returns a row of nulls. The answer shows it unchanged, but a test for existence must not count it.
    const there = shown || relationship.cardinality === 'one-to-many' ? [] : [`not (${alias} is null)`];
    return { from: `${relationship.call}(${of.row}) as ${alias}`, rowSource, conditions: there };
  }
  const own = relationship.fromColumns.map((name) => buildColumn(of.alias, relationship.from, name));
  const theirs = relationship.toColumns.map((name) => buildColumn(alias, relationship.to, name));
  const equal = (left: readonly string[], right: readonly string[]): string[] =>
    left.map((column, index) => `${column} = ${right[index] ?? ''}`);
  const from = `${relationship.to.sql} as ${alias}`;
  if (relationship.through === null) return { from, rowSource, conditions: equal(theirs, own) };
  const { table, fromColumns, toColumns } = relationship.through;
  const middle = builder.alias();
  const side = (names: readonly string[]): string[] => names.map((name) => buildColumn(middle, table, name));
  return {
    from: `${from}, ${table.sql} as ${middle}`,
    rowSource,
    conditions: [...equal(side(fromColumns), own), ...equal(side(toColumns), theirs)],
  };
}

export function buildWhere(
  builder: SqlBuilder,
  rowSource: RowSource,
  conditions: readonly PlannedCondition[],
  more: readonly string[] = [],
): string {
  const all = [...more, ...conditions.map((condition) => buildCondition(builder, rowSource, condition))];
  return all.length === 0 ? '' : ` where ${all.join(' and ')}`;
}

function buildCondition(builder: SqlBuilder, rowSource: RowSource, condition: PlannedCondition): string {
  const not = condition.negated ? 'not ' : '';
  if (condition.kind === 'logic') {
    const of = condition.of.map((part) => buildCondition(builder, rowSource, part));
    return `${not}(${of.join(` ${condition.operator} `)})`;
  }
  if (condition.kind === 'exists') return `${not}exists (${buildRelated(builder, rowSource, condition.embed)})`;
  return `${not}(${buildTest(builder, buildField(builder, rowSource, condition.field), condition)})`;
}

function buildRelated(builder: SqlBuilder, of: RowSource, { relationship, level }: Embed): string {
  const { from, rowSource, conditions } = buildJoin(builder, of, relationship);
  return `select from ${from}${buildWhere(builder, rowSource, level.conditions, conditions)}`;
}

const STATES = { null: 'null', not_null: 'not null', true: 'true', false: 'false', unknown: 'unknown' } as const;
const SEARCHES = {
  fts: 'to_tsquery',
  plfts: 'plainto_tsquery',
  phfts: 'phraseto_tsquery',
  wfts: 'websearch_to_tsquery',
} as const;

/** Values are untyped: as with a literal, the field decides the type. */
function buildTest(
  builder: SqlBuilder,
  field: string,
  { test, field: planned }: PlannedCondition & { kind: 'test' },
): string {
  switch (test.kind) {
    case 'is':
      return `${field} is ${STATES[test.state]}`;
    case 'in':
      return `${field} = any(${builder.bind({ from: 'value', at: test.value, as: 'list' })})`;
    case 'search': {
      const language =
        test.language === null ? '' : `${builder.bind({ from: 'constant', value: test.language })}::text::regconfig, `;
      const requested = `${SEARCHES[test.operator]}(${language}${builder.bind({ from: 'value', at: test.value, as: 'text' })}::text)`;
      const ready = planned.column.type === 'tsvector' && planned.path.length === 0;
      return `${ready ? field : `to_tsvector(${language}${field})`} @@ ${requested}`;
    }
    case 'compare': {
      const pattern = test.operator === 'like' || test.operator === 'ilike';
      const value = builder.bind({ from: 'value', at: test.value, as: pattern ? 'pattern' : 'text' });
      const right = test.quantifier === null ? value : `${test.quantifier}(${value})`;
      return `${field} ${COMPARISONS[test.operator]} ${right}`;
    }
  }
}

/** `grouped`: in a grouped level, the value of a related column comes from any row of the group. */
export function buildOrder(
  builder: SqlBuilder,
  rowSource: RowSource,
  order: readonly PlannedOrder[],
  grouped: boolean,
): string {
  if (order.length === 0) return '';
  const parts = order.map((term) => {
    const direction = `${term.descending ? ' desc' : ''}${term.nulls === null ? '' : ` nulls ${term.nulls}`}`;
    if (term.embed === null) return `${buildField(builder, rowSource, term.field)}${direction}`;
    const joined = buildJoin(builder, rowSource, term.embed.relationship);
    const where = joined.conditions.length === 0 ? '' : ` where ${joined.conditions.join(' and ')}`;
    const value = `select ${buildField(builder, joined.rowSource, term.field)} from ${joined.from}${where}`;
    const found = `(${value} limit 1)`;
    return `${grouped ? `(array_agg(${found}))[1]` : found}${direction}`;
  });
  return ` order by ${parts.join(', ')}`;
}
