import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * `npm test` checks that its tests execute every PL/pgSQL function. PostgreSQL only parses the body of such a function when it is created,
 * so a misspelt column fails only when its statement runs. SQL functions are left out: PostgreSQL checks their bodies when they are
 * created, and does not count calls of those that it inlines.
 */

/** The folder in which each process of a test run lists the functions that it executed. If it is not set, nothing is recorded. */
const folder = process.env['TEST_EXECUTED_FUNCTIONS'];
export const isRecording = Boolean(folder);

type Query = (text: string) => Promise<{ readonly rows: readonly Record<string, unknown>[] }>;

/** The name of a function in the lists, `schema.name(argument types)`; `p` is its row of pg_proc. */
export const FUNCTION_NAME = `format('%s.%I(%s)', p.pronamespace::regnamespace, p.proname, oidvectortypes(p.proargtypes))`;

/** The functions that this process has already listed. */
const listed = new Set<string>();

/** Makes an embedded database count the calls of PL/pgSQL functions. The PostgreSQL of `npm test` counts them from its start. */
export async function trackFunctions(query: Query): Promise<void> {
  if (isRecording) await query(`set track_functions = 'pl'`);
}

/** Lists the functions that a database has executed. A call counts even if it failed or its transaction was rolled back. */
export async function recordFunctions(query: Query): Promise<void> {
  if (!folder) return;
  // Without this call PostgreSQL publishes its counters only once a second.
  await query('select pg_stat_force_next_flush()');
  const { rows } = await query(
    `select ${FUNCTION_NAME} as name from pg_stat_user_functions s join pg_proc p on p.oid = s.funcid`,
  );
  const added = rows.map((row) => String(row['name'])).filter((name) => !listed.has(name));
  for (const name of added) listed.add(name);
  if (added.length > 0) await appendFile(join(folder, String(process.pid)), `${added.join('\n')}\n`);
}
