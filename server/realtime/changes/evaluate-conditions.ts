import pg from 'pg';
import { type Database, DatabaseError } from '#server/db/database.ts';
import type { WorkClass } from '#server/db/work-class.ts';
import type { Log } from '#server/http/caller.ts';
import type { Member } from '../core/token.ts';
import { jsonOf } from './visible-rows.ts';
import type { Change, Image } from './outbox.ts';
import { sqlNameOf, type Table } from './tables.ts';

/** Filters look at the new row; at the old one of a delete. */
export const filteredImage = ({ record, oldRecord }: Change): Image => record ?? oldRecord ?? {};

type Results = readonly (readonly boolean[])[];

/** Which changes meet which conditions, and the conditions that took too long to tell. */
export type Evaluated = {
  readonly holds: (change: Change, condition: string) => boolean;
  readonly slow: ReadonlySet<string>;
};

/** The table whose rows the conditions are about. */
type FilteredTable = Pick<Table, 'schema' | 'name'>;
/** What conditions are evaluated with. */
type Evaluator = {
  readonly db: Pick<Database, 'as'> & { inClass(workClass: WorkClass): Pick<Database, 'as'> };
  readonly log: Pick<Log, 'warn'>;
};

/** How long the conditions of all filters may take together, and one alone when that was not enough. The embedded engine has its own limits. */
const TOGETHER_MS = 250;
const ALONE_MS = 500;
/** The SQLSTATE of a statement that was stopped. */
const STOPPED = '57014';

/**
 * Evaluates the conditions of all filters over all changed rows in one statement. A condition that the database refuses for one of the rows
 * matches none of them: a subscriber's filter must not keep changes from the others, nor delay them.
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
  const rowAt = new Map(changes.map((change, at) => [change, at]));
  const columnAt = new Map([...conditions.keys()].map((condition, at) => [condition, at]));
  return {
    holds: (change, condition) => results[rowAt.get(change) ?? -1]?.[columnAt.get(condition) ?? -1] ?? false,
    slow,
  };
}

/** A list of booleans per change: one for each condition. Adds those that took too long to `slow`. Throws when the database is out of reach or busy. */
async function evaluate(
  { db, log }: Evaluator,
  table: FilteredTable,
  changes: readonly Change[],
  conditions: ReadonlyMap<string, Member>,
  slow: Set<string>,
): Promise<Results> {
  const name = pg.escapeIdentifier(table.name);
  const images = `[${changes.map((change) => jsonOf(filteredImage(change))).join(',')}]`;
  const ask = async (as: Pick<Database, 'as'>, some: readonly string[], limitMs: number): Promise<Results> => {
    const { rows } = await as.as<{ results: Results }>(
      { role: 'service_role', claims: '{}', settings: { statement_timeout: `${limitMs}ms` } },
      `select jsonb_agg(jsonb_build_array(${some.map((one) => `coalesce(${one}, false)`).join(', ')}) order by realtime_row_number) as results
       from jsonb_array_elements($1::jsonb) with ordinality as realtime_rows (realtime_row, realtime_row_number),
         lateral jsonb_populate_record(null::${sqlNameOf(table)}, realtime_row) as ${name}`,
      [images],
    );
    return rows[0]?.results ?? [];
  };
  const askAlone = async (condition: string, member: Member): Promise<Results> => {
    try {
      return await ask(db.inClass(classOf(member)), [condition], ALONE_MS);
    } catch (fault) {
      if (!isOfCondition(fault)) throw fault;
      log.warn({ err: fault, table: table.name }, 'a filter of a subscription failed');
      if (fault.code !== STOPPED) return [];
      // Where even this one is stopped, the database is busy, and no filter is to blame.
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

/** A filter takes its turn among the statements of its subscriber's class. */
const classOf = ({ role }: Member): 'guest' | 'customer' => (role === 'anon' ? 'guest' : 'customer');

/** Whether a condition may be the cause of an error: not when the database cannot be reached, ends, or refuses because it is busy. */
const isOfCondition = (error: unknown): error is DatabaseError =>
  error instanceof DatabaseError && !/^(?:08|53|57P|PT)/.test(error.code);
