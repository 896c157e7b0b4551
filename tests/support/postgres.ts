import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';
import { openPostgres } from '#server/db/open-postgres.ts';
import { checkedOutMigrations } from './image.ts';

/** The database of one test file. */
export type TestDatabase = {
  /** `postgres://` URL of the new, empty database, as a superuser. */
  readonly url: string;
  /** Closes all connections and removes the database. */
  drop(): Promise<void>;
};

/**
 * Creates an empty database on the PostgreSQL that `npm test` started (`TEST_POSTGRES_URL`, the superuser's URL of the maintenance
 * database). Null when there is none: the caller then uses only the embedded database.
 */
export async function createTestDatabase(): Promise<TestDatabase | null> {
  const server = process.env['TEST_POSTGRES_URL'];
  if (server === undefined || server === '') return null;
  return onServer(server, (client) => create(server, client, 'template1'));
}

/** Creates a copy of the database at the URL `template`. Nothing may be connected to that database. */
export function copyTestDatabase(template: string): Promise<TestDatabase> {
  const server = new URL(template);
  const original = server.pathname.slice(1);
  server.pathname = '/postgres';
  return onServer(server.href, (client) => create(server.href, client, original));
}

/** Creates a migrated database, copied from one that the first caller migrates. Null without a PostgreSQL. `server`: a superuser's URL. */
export async function createMigratedDatabase(server = process.env['TEST_POSTGRES_URL']): Promise<TestDatabase | null> {
  if (server === undefined || server === '') return null;
  const migrations = await checkedOutMigrations();
  const template = `migrated_${createHash('sha256')
    .update(migrations.map(({ checksum }) => checksum).join())
    .digest('hex')
    .slice(0, 16)}`;
  return onServer(server, async (client) => {
    // Held until this connection ends: one process migrates, the others wait.
    await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const { rows } = await client.query('select from pg_database where datname = $1', [template]);
    if (rows.length === 0) {
      const fresh = await create(server, client, 'template1');
      const database = await openPostgres(fresh.url, { migrations, report: ignore, warn: ignore, poolSize: 2 });
      await database.close();
      // A database can be renamed only when nothing is connected to it.
      await client.query('select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1', [
        fresh.name,
      ]);
      await client.query(`alter database ${fresh.name} rename to ${template}`);
    }
    return create(server, client, template);
  });
}

const TEMPLATE_LOCK = 7_204_002;
const ignore = (): void => undefined;

async function create(server: string, client: pg.Client, template: string): Promise<TestDatabase & { name: string }> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  // Copying files takes a third of the work of logging every page.
  await client.query(`create database ${name} template ${template} strategy file_copy`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const drop = (): Promise<void> =>
    onServer(server, async (admin) => void (await admin.query(`drop database if exists ${name} with (force)`)));
  return { name, url: url.href, drop };
}

/** Uses a separate connection: `create database` cannot run in a transaction. */
async function onServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
