import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMigratedDatabase, type TestDatabase } from '#tests/support/postgres.ts';

/**
 * PostgreSQL examines the body of a PL/pgSQL function only when it runs. The extension plpgsql_check compares each body with the catalogue,
 * as the first call would: tables, columns, functions, types and variables. `npm test` installs it with PostgreSQL.
 */

/**
 * Functions of triggers with transition tables, which exist only while the trigger runs, and of triggers that the server creates on demand.
 */
const NOT_CHECKED = ['private.count_mailing_list()', 'realtime.capture()'];

const FUNCTIONS = `
select format('%I.%I(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)) as name, p.oid::int8::text as oid,
  coalesce((select min(t.tgrelid::int8) from pg_trigger t where t.tgfoid = p.oid and t.tgparentid = 0), 0)::text as relation
from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_language l on l.oid = p.prolang
where l.lanname = 'plpgsql' and n.nspname in ('auth', 'private', 'public', 'realtime', 'rest', 'storage')`;

let database: TestDatabase | null = null;
let client: pg.Client | null = null;
beforeAll(async () => {
  database = await createMigratedDatabase();
  if (database === null) return;
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
}, 120_000);
afterAll(async () => {
  await client?.end();
  await database?.drop();
});

test.skipIf(!process.env['TEST_POSTGRES_URL'])(
  'every body of a PL/pgSQL function fits the tables, columns, functions and variables that it names',
  async ({ skip }) => {
    if (client === null) throw new Error('there is no database');
    const { rows: available } = await client.query(`select from pg_available_extensions where name = 'plpgsql_check'`);
    if (available.length === 0) skip('the extension plpgsql_check is not installed');
    await client.query('create schema check_bodies; create extension plpgsql_check schema check_bodies');
    const { rows: functions } = await client.query<{ name: string; oid: string; relation: string }>(FUNCTIONS);
    expect(functions.length).toBeGreaterThan(200);
    const faults: string[] = [];
    for (const { name, oid, relation } of functions) {
      if (NOT_CHECKED.includes(name)) continue;
      const { rows } = await client.query<{ lineno: number; message: string }>(
        `select lineno, message from check_bodies.plpgsql_check_function_tb($1::oid, $2::oid, fatal_errors := false,
           other_warnings := false, performance_warnings := false, extra_warnings := false, security_warnings := false)`,
        [oid, relation],
      );
      faults.push(...rows.map(({ lineno, message }) => `${name}:${lineno} ${message}`));
    }
    expect(faults).toEqual([]);
  },
  60_000,
);
