import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openMigratedDatabase } from '../image.ts';
import { FUNCTION_NAME } from './executed-functions.ts';

/** Prints the PL/pgSQL functions that no process of a test run has listed, and fails if there are any. Runs after the tests in Node. */

const folder = process.env['TEST_EXECUTED_FUNCTIONS'] ?? '';
const executed = new Set(readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n')));

const database = await openMigratedDatabase();
const { rows } = await database.query<{ name: string }>(
  `select ${FUNCTION_NAME} as name from pg_proc p join pg_language l on l.oid = p.prolang where l.lanname = 'plpgsql' order by 1`,
);
await database.close();

const unexecuted = rows.map(({ name }) => name).filter((name) => !executed.has(name));
for (const name of unexecuted) console.log(`no test executes ${name}`);
if (unexecuted.length > 0) process.exitCode = 1;
