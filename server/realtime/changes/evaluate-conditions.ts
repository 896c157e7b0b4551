import pg from 'pg';
import { type Database, DatabaseError } from '#server/db/database.ts';
import type { WorkClass } from '#server/db/work-class.ts';
import type { Log } from '#server/http/caller.ts';
import type { Member } from '../core/token.ts';
import { toJson } from './visible-rows.ts';
import type { Change, Image } from './outbox.ts';
import { getSqlName, type Table } from './tables.ts';

/** Filters apply to the new row, or to the old row of a delete. */
export const filteredImage = ({ record, oldRecord }: Change): Image => record ?? oldRecord ?? {};

type Results = readonly (readonly boolean[])[];

/** The changes that meet each condition, and the conditions whose evaluation took too long. */
export type Evaluated = {
  readonly holds: (change: Change, condition: string) => boolean;
  readonly slow: ReadonlySet<string>;
};

/** The table to whose rows the conditions apply. */
type FilteredTable = Pick<Table, 'schema' | 'name'>;
/** Dependencies of the evaluation. */
type Evaluator = {
  readonly db: Pick<Database, 'as'> & { inClass(workClass: WorkClass): Pick<Database, 'as'> };
  readonly log: Pick<Log, 'warn'>;
};

/** Time limits: for all filters together and, if that fails, for each alone. The embedded engine has its own limits. */
const TOGETHER_MS = 250;
const ALONE_MS = 500;
/** The SQLSTATE of a cancelled statement. */
const STOPPED = '57014';

/**
 * Evaluates the conditions of all filters over all changed rows in one statement. If the database rejects a condition for one of the rows,
 * the condition matches none of them: a subscriber's filter must neither hide changes from other subscribers nor delay them.
 */
export async function evaluateConditions(
  context: Evaluator,
  table: FilteredTable,
  changes: readonly Change[],
  conditions: ReadonlyMap<string, Member>,
): Promise<Evaluated> {
  const slow = new Set<string>();
  if (conditions.size === 0 || changes.length === 0) return { holds: () => false, slow };
  const results = await evaluate(context, table, changes, conditions, slow);
  const rowAt = new Map(changes.map((change, index) => [change, index]));
  const columnAt = new Map([...conditions.keys()].map((condition, index) => [condition, index]));
  return {
    holds: (change, condition) => results[rowAt.get(change) ?? -1]?.[columnAt.get(condition) ?? -1] ?? false,
    slow,
  };
}

/**
 * Returns a list of booleans for each change, one per condition. Adds slow conditions to `slow`. Throws if the database is unreachable or
 * busy.
 */
async function evaluate(
  { db, log }: Evaluator,
  table: FilteredTable,
  changes: readonly Change[],
  conditions: ReadonlyMap<string, Member>,
  slow: Set<string>,
): Promise<Results> {
  const name = pg.escapeIdentifier(table.name);
  const images = `[${changes.map((change) => toJson(filteredImage(change))).join(',')}]`;
  const ask = async (as: Pick<Database, 'as'>, some: readonly string[], limitMs: number): Promise<Results> => {
    const { rows } = await as.as<{ results: Results }>(
      { role: 'service_role', claims: '{}', settings: { statement_timeout: `${limitMs}ms` } },
      `select jsonb_agg(jsonb_build_array(${some.map((condition) => `coalesce(${condition}, false)`).join(', ')}) order by realtime_row_number) as results
       from jsonb_array_elements($1::jsonb) with ordinality as realtime_rows (realtime_row, realtime_row_number),
         lateral jsonb_populate_record(null::${getSqlName(table)}, realtime_row) as ${name}`,
      [images],
    );
    return rows[0]?.results ?? [];
  };
  const askAlone = async (condition: string, member: Member): Promise<Results> => {
    try {
      return await ask(db.inClass(getWorkClass(member)), [condition], ALONE_MS);
    } catch (fault) {
      if (!isOfCondition(fault)) throw fault;
      log.warn({ err: fault, table: table.name }, 'a filter of a subscription failed; it matches no rows');
      if (fault.code !== STOPPED) return [];
      // If even this statement is cancelled, the database is busy and the filter is not at fault.
      await ask(db, ['true'], TOGETHER_MS);
      slow.add(condition);
      return [];
    }
  };
  try {
    return await ask(db, [...conditions.keys()], TOGETHER_MS);
  } catch (error) {
    if (!isOfCondition(error)) throw error;
    const columns = await Promise.all([...conditions].map(([condition, member]) => askAlone(condition, member)));
    return changes.map((_, row) => columns.map((column) => column[row]?.[0] ?? false));
  }
}

/** The work class of a filter. Its statement is queued together with the other statements of the subscriber's class. */
const getWorkClass = ({ role }: Member): 'guest' | 'customer' => (role === 'anon' ? 'guest' : 'customer');

/**
 * Whether a condition may be the cause of an error. It is not if the database is unreachable, shuts down, or refuses because it is busy.
 */
const isOfCondition = (error: unknown): error is DatabaseError =>
  error instanceof DatabaseError && !/^(?:08|53|57P|PT)/.test(error.code);
