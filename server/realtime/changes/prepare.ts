import pg from 'pg';
import { type Database, DatabaseError } from '#server/db/database.ts';
import type { Member } from '../core/token.ts';
import { type Binding, notPublished, readBinding, refusedByDatabase } from './bindings.ts';
import { toSql, tryConditions } from './conditions.ts';
import { type Condition, FilterFault } from './filters.ts';
import type { SlowFilters } from './slow-filters.ts';
import { coversTable, type Equality, getShape, type PreparedBinding } from './subscriptions.ts';
import { getSqlName, type Table, type Tables } from './tables.ts';

/** Types whose values are equal exactly if their JSON texts are, so that the comparison needs no database. */
const PLAIN_TYPES = new Set(['int2', 'int4', 'int8', 'text', 'varchar', 'uuid', 'bool']);

/** Checks a binding against the published tables, its columns and the member's rights. Throws `FilterFault`. */
export async function prepareBinding(
  context: { db: Database; tables: Tables; slowFilters: SlowFilters },
  id: number,
  sent: Readonly<Record<string, unknown>>,
  member: Member,
): Promise<PreparedBinding> {
  const binding = readBinding(sent);
  const published = await context.tables.published();
  const wildcard = binding.schema === '*' || binding.table === '*';
  const found = published.filter((table) =>
    coversTable({ id, binding, relation: null, equalities: [], condition: 'true', shape: '' }, table),
  );
  const [table] = found;
  if (!table) throw new FilterFault(notPublished(binding));
  if (wildcard) return { id, binding, relation: null, equalities: [], condition: 'true', shape: '' };
  await checkColumns(context.tables, table, binding, member);
  const prepared = await prepareConditions(context.db, table, binding);
  if (context.slowFilters.has(table, prepared.condition))
    throw new FilterFault(
      refusedByDatabase(binding, 'the filter takes too long, please try another one or try again later'),
    );
  return {
    id,
    binding,
    relation: table.relation,
    ...prepared,
    shape: getShape(table, binding),
  };
}

/** Refuses columns that the caller cannot read, both in the selection and in the filter: a filter would reveal their values. */
async function checkColumns(tables: Tables, table: Table, binding: Binding, member: Member): Promise<void> {
  const access = await tables.access(table, member.role);
  const isKnown = (name: string): boolean =>
    access.columns.has(name) && table.columns.some((column) => column.name === name);
  const filtered = binding.conditions.map(({ column }) => column).find((name) => !isKnown(name));
  if (filtered !== undefined)
    throw new FilterFault(refusedByDatabase(binding, `invalid column for filter ${filtered}`));
  const selected = binding.select?.find((name) => !isKnown(name));
  if (selected !== undefined)
    throw new FilterFault(refusedByDatabase(binding, `invalid column for select ${selected}`));
}

async function prepareConditions(
  db: Database,
  table: Table,
  binding: Binding,
): Promise<Pick<PreparedBinding, 'equalities' | 'condition'>> {
  try {
    const plain = binding.conditions.filter((condition) => isPlain(table, condition));
    const others = binding.conditions.filter((condition) => !plain.includes(condition));
    const condition = toSql(table, others);
    await tryConditions(db, table, others);
    return {
      equalities: await Promise.all(plain.map((plainCondition) => readEquality(db, table, plainCondition))),
      condition,
    };
  } catch (error) {
    if (error instanceof DatabaseError || error instanceof FilterFault)
      throw new FilterFault(refusedByDatabase(binding, error.message));
    throw error;
  }
}

function isPlain(table: Table, { column, negated, operator }: Condition): boolean {
  const type = table.columns.find(({ name }) => name === column)?.type;
  return operator === 'eq' && !negated && type !== undefined && PLAIN_TYPES.has(type);
}

/** Returns the value as PostgreSQL writes it in JSON. Throws `DatabaseError` for a value that the column's type rejects. */
async function readEquality(db: Database, table: Table, { column, values }: Condition): Promise<Equality> {
  const name = pg.escapeIdentifier(table.name);
  const row = await db.queryRow<{ json: string | null }>(
    `select (to_jsonb(${name}) -> $1::text)::text as json
     from jsonb_populate_record(null::${getSqlName(table)}, jsonb_build_object($1::text, $2::text)) as ${name}`,
    [column, values[0] ?? ''],
  );
  return { column, json: row?.json ?? 'null' };
}
