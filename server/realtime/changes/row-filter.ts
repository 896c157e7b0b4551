import type { Database } from '#server/db/database.ts';
import { toJson } from './visible-rows.ts';
import type { Change } from './outbox.ts';
import type { Table } from './tables.ts';

/**
 * Applies the row filter of the publication (`add table … where (…)`) as logical replication does: an update after which a row begins to
 * match is an insert, and one after which it ceases to match is a delete (PostgreSQL documentation, "Row Filters").
 */
export async function applyRowFilter(
  db: Database,
  table: Table,
  changes: readonly Change[],
): Promise<readonly Change[]> {
  if (!table.hasRowFilter || changes.length === 0) return changes;
  const images = changes.flatMap(({ record, oldRecord }) => [record ?? {}, oldRecord ?? {}]);
  const row = await db.queryRow<{ matches: readonly boolean[] }>(
    'select realtime.matches_row_filter($1::oid, $2::jsonb) as matches',
    [table.relation, `[${images.map(toJson).join(',')}]`],
  );
  return changes.flatMap((change, index) => {
    const isNow = row?.matches[2 * index] === true;
    const wasBefore = row?.matches[2 * index + 1] === true;
    return transform(change, isNow, wasBefore);
  });
}

function transform(change: Change, isNow: boolean, wasBefore: boolean): readonly Change[] {
  if (change.kind === 'INSERT') return isNow ? [change] : [];
  if (change.kind === 'DELETE') return wasBefore ? [change] : [];
  if (isNow && wasBefore) return [change];
  if (isNow) return [{ ...change, kind: 'INSERT', oldRecord: null }];
  return wasBefore ? [{ ...change, kind: 'DELETE', record: null }] : [];
}
