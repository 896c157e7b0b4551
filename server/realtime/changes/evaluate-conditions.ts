import pg from 'pg';
import { type Database, DatabaseError } from '#server/db/database.ts';
import type { Log } from '#server/http/caller.ts';
import { jsonOf } from './visible-rows.ts';
import type { Change, Image } from './outbox.ts';
import { sqlNameOf, type Table } from './tables.ts';

/** Filters look at the new row; at the old one of a delete. */
export const filteredImage = ({ record, oldRecord }: Change): Image => record ?? oldRecord ?? {};

type Results = readonly (readonly boolean[])[];

/**
 * Evaluates the conditions of all filters over all changed rows in one statement. A condition that the database refuses for one of the rows
 * matches none of them: a subscriber's filter must not keep changes from the others.
 */
export async function evaluateConditions(
  context: { readonly db: Database; readonly log: Log },
  table: Table,
  changes: readonly Change[],
  conditions: readonly string[],
): Promise<(change: Change, condition: string) => boolean> {
  if (conditions.length === 0 || changes.length === 0) return () => false;
  const results = await evaluate(context, table, changes, conditions);
  const rowAt = new Map(changes.map((change, at) => [change, at]));
  const columnAt = new Map(conditions.map((condition, at) => [condition, at]));
  return (change, condition) => results[rowAt.get(change) ?? -1]?.[columnAt.get(condition) ?? -1] ?? false;
}

/** A list of booleans per change: one for each condition. */
async function evaluate(
  { db, log }: { readonly db: Database; readonly log: Log },
  table: Table,
  changes: readonly Change[],
  conditions: readonly string[],
): Promise<Results> {
  const name = pg.escapeIdentifier(table.name);
  const images = `[${changes.map((change) => jsonOf(filteredImage(change))).join(',')}]`;
  const ask = async (some: readonly string[]): Promise<Results> => {
    const { rows } = await db.as<{ results: Results }>(
      { role: 'service_role', claims: '{}', caller: 'realtime' },
      `select jsonb_agg(jsonb_build_array(${some.map((one) => `coalesce(${one}, false)`).join(', ')}) order by realtime_row_number) as results
       from jsonb_array_elements($1::jsonb) with ordinality as realtime_rows (realtime_row, realtime_row_number),
         lateral jsonb_populate_record(null::${sqlNameOf(table)}, realtime_row) as ${name}`,
      [images],
    );
    return rows[0]?.results ?? [];
  };
  try {
    return await ask(conditions);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const alone = conditions.map((one) =>
      ask([one]).catch((fault: unknown): Results => {
        log.warn({ err: fault, table: table.name }, 'a filter of a subscription failed');
        return [];
      }),
    );
    const columns = await Promise.all(alone);
    return changes.map((_, row) => columns.map((column) => column[row]?.[0] ?? false));
  }
}
