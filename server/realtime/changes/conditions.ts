import pg from 'pg';
import type { Database } from '#server/db/database.ts';
import { type Condition, FilterFault, type Operator } from './filters.ts';
import { getSqlName, type Table } from './tables.ts';

const SQL_OPERATORS: Readonly<Partial<Record<Operator, string>>> = {
  eq: '=',
  neq: '<>',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
  like: '~~',
  ilike: '~~*',
  match: '~',
  imatch: '~*',
  isdistinct: 'is distinct from',
};
const TRUTH_VALUES = new Set(['null', 'true', 'false', 'unknown']);

/**
 * Returns the conditions of a filter as one SQL condition over a row of the table. Throws `FilterFault` for a column that does not exist.
 */
export function toSql(table: Table, conditions: readonly Condition[]): string {
  return conditions.length === 0
    ? 'true'
    : conditions.map((condition) => toConditionSql(table, condition)).join(' and ');
}

function toConditionSql(table: Table, { column, negated, operator, values }: Condition): string {
  const found = table.columns.find(({ name }) => name === column);
  if (!found) throw new FilterFault(`invalid column for filter ${column}`);
  const columnSql = `${pg.escapeIdentifier(table.name)}.${pg.escapeIdentifier(column)}`;
  const sql = positive(columnSql, operator, values);
  return negated ? `not (${sql})` : `(${sql})`;
}

function positive(columnSql: string, operator: Operator, values: readonly string[]): string {
  const [value = ''] = values;
  if (operator === 'is') {
    if (!TRUTH_VALUES.has(value.toLowerCase())) throw new FilterFault(`invalid value for \`is\` filter: ${value}`);
    return `${columnSql} is ${value.toLowerCase()}`;
  }
  // A literal of unknown type takes the type of the column, as in a query.
  if (operator === 'in')
    return values.length === 0 ? 'false' : `${columnSql} in (${values.map(pg.escapeLiteral).join(', ')})`;
  return `${columnSql} ${SQL_OPERATORS[operator] ?? '='} ${pg.escapeLiteral(value)}`;
}

/**
 * Tries the conditions of a filter on an empty row, and their patterns on an empty text, so that a wrong value or a malformed pattern is
 * refused at once. Throws `DatabaseError` or `FilterFault`.
 */
export async function tryConditions(db: Database, table: Table, conditions: readonly Condition[]): Promise<void> {
  if (conditions.length === 0) return;
  const name = pg.escapeIdentifier(table.name);
  const trials = conditions.filter(({ operator }) => PATTERNS.has(operator)).map(tryPattern);
  await db.as(
    { role: 'service_role', claims: '{}' },
    `select ${[`(${toSql(table, conditions)})`, ...trials].join(', ')}
     from jsonb_populate_record(null::${getSqlName(table)}, '{}'::jsonb) as ${name}`,
  );
}

const PATTERNS: ReadonlySet<Operator> = new Set(['like', 'ilike', 'match', 'imatch']);

function tryPattern({ operator, values }: Condition): string {
  const [pattern = ''] = values;
  const isLike = operator === 'like' || operator === 'ilike';
  // PostgreSQL reports a trailing backslash only when a text has matched the pattern up to there.
  if (isLike && (/\\*$/.exec(pattern)?.[0].length ?? 0) % 2 === 1)
    throw new FilterFault('LIKE pattern must not end with escape character');
  return `'' ${SQL_OPERATORS[operator] ?? '~'} ${pg.escapeLiteral(pattern)}`;
}
