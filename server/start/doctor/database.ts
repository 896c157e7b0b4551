import type pg from 'pg';
import type { Config } from '#server/config/operating/config.ts';
import { readSchema, type Schema } from '#server/db/schema/schema.ts';
import { readMigrationRecords } from '#server/db/schema/records.ts';
import { MigrationRefused, planUpgrade } from '#server/db/schema/upgrade-plan.ts';
import { toAddress } from '#server/db/postgres/address.ts';
import { connectPatiently, isReadOnly } from '#server/db/postgres/connect.ts';
import { DatabaseRefused } from '#server/db/postgres/refused.ts';
import { missingRoles } from '#server/db/postgres/roles.ts';
import { DATABASE } from '../open-database.ts';
import { clockFinding } from './clock.ts';
import { fail, type Finding, listFindings, ok, getReason, warn } from './finding.ts';

type CheckedParts = Pick<Config, 'databaseUrl' | 'poolSize'>;

/** Checks whether the login in DATABASE_URL can do what the server needs. Changes nothing. */
export async function databaseFindings(config: CheckedParts): Promise<Finding[]> {
  if (config.databaseUrl === null)
    return [ok('the embedded database in DATA_DIR; use PostgreSQL (DATABASE_URL) for live card payments')];
  let admin: pg.Client;
  try {
    admin = await connectPatiently(toAddress(config.databaseUrl), { seconds: 0, report: () => undefined });
  } catch (error) {
    const text = error instanceof DatabaseRefused ? error.lines.join(' ') : getReason(error);
    return [fail(text, 'Correct DATABASE_URL, or start the database.')];
  }
  try {
    const rights = await rightsFindings(admin, config);
    // A login without these rights cannot read the migrations.
    const migrations = rights.some(({ state }) => state === 'fail') ? [] : [await migrationsFinding(admin)];
    return [...rights, ...migrations, await checkClock(admin)];
  } finally {
    await admin.end();
  }
}

const FACTS = `select current_setting('server_version') as version, current_setting('server_version_num')::int / 10000 as major,
  current_user::text as login, current_database()::text as database, pg_has_role(current_user, d.datdba, 'usage') as owner,
  exists (select from pg_available_extensions where name = 'pg_trgm') as trigrams, pg_encoding_to_char(d.encoding) as encoding,
  current_setting('max_connections')::int - (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as free,
  coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as encrypted, inet_server_addr() is null or inet_server_addr() <<= '127.0.0.0/8' or inet_server_addr() = '::1' as here
  from pg_roles r, pg_database d where r.rolname = current_user and d.datname = current_database()`;
type Facts = {
  readonly [name in 'version' | 'login' | 'database' | 'encoding']: string;
} & { readonly [name in 'owner' | 'trigrams' | 'encrypted' | 'here']: boolean } & {
  readonly [name in 'major' | 'free']: number;
};
const OLDEST = 15;

async function rightsFindings(admin: pg.Client, { poolSize }: CheckedParts): Promise<Finding[]> {
  const facts = (await admin.query<Facts>(FACTS)).rows[0];
  if (!facts) return [fail('the login of DATABASE_URL has no role', 'Use the login of the owner of the database.')];
  const { login, database } = facts;
  const roles = await missingRoles(admin);
  // One pool serves callers, one the server's own work; single connections serve notifications and migrations.
  const needed = 2 * poolSize + 4;
  return listFindings(
    ok(`PostgreSQL ${facts.version}, ${login} in the database ${database}`),
    facts.major < OLDEST && fail(`PostgreSQL ${facts.version} is too old`, `Use version ${OLDEST} or newer.`),
    (await isReadOnly(admin)) && fail('the server takes no writes', 'Name the primary in DATABASE_URL.'),
    !facts.owner &&
      fail(
        `the login ${login} does not own the database ${database}`,
        `Run: alter database ${database} owner to ${login}`,
      ),
    !facts.trigrams &&
      fail('the extension pg_trgm is not there', 'Install the package postgresql-contrib on the database server.'),
    facts.encoding !== 'UTF8' &&
      fail(`the encoding is ${facts.encoding}`, 'Make the database with: createdb -E UTF8 -T template0'),
    roles.length > 0 &&
      fail(
        `the login has no right to create the roles ${roles.join(', ')}`,
        'Start the server once: it prints the SQL for an administrator.',
      ),
    facts.free < needed &&
      warn(
        `${facts.free} connections are free, each server may take ${needed}`,
        'Raise max_connections of the database, or lower POOL_SIZE.',
      ),
    !facts.encrypted &&
      !facts.here &&
      warn('the connection is not encrypted', 'Add ?sslmode=verify-full to DATABASE_URL.'),
  );
}

async function migrationsFinding(admin: pg.Client): Promise<Finding> {
  const schema = await readSchema(DATABASE);
  const recorded = await readMigrationRecords({
    rows: async (sql) => (await admin.query<Record<string, unknown>>(sql)).rows,
  });
  if (recorded.size === 0) return ok(`empty; the first start makes ${schema.migrations.length} migrations`);
  return compareMigrations(schema, recorded);
}

/** Compares the migrations of this program with those that have run. */
export function compareMigrations(schema: Schema, recorded: ReadonlyMap<string, string>): Finding {
  const total = schema.migrations.length;
  try {
    const { pending } = planUpgrade(recorded, schema);
    return pending.length > 0
      ? warn(
          `${pending.length} of ${total} migrations have not run`,
          'They run at the next start; make a backup first, and look with: npm run upgrade:check',
        )
      : ok(`all ${total} migrations have run`);
  } catch (error) {
    if (!(error instanceof MigrationRefused)) throw error;
    return fail('another version of the program has used this database', error.message);
  }
}

async function checkClock(admin: pg.Client): Promise<Finding> {
  const before = Date.now();
  const { rows } = await admin.query<{ now: Date }>('select clock_timestamp() as now');
  const finding = clockFinding('the database', (before + Date.now()) / 2, rows[0]?.now.getTime() ?? 0);
  return { area: 'clock', ...finding };
}
