import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** A database of one test file. */
export type TestDatabase = {
  /** `postgres://` address of the new, empty database, as a superuser. */
  readonly url: string;
  /** Ends what is still connected and removes the database. */
  drop(): Promise<void>;
};

/**
 * Creates an empty database on the PostgreSQL that `npm test` started (`TEST_POSTGRES_URL`, a superuser's address of
 * the maintenance database). Null when there is none: the caller then runs on the embedded database only and says so.
 */
export async function createTestDatabase(): Promise<TestDatabase | null> {
  const server = process.env['TEST_POSTGRES_URL'];
  if (server === undefined || server === '') return null;
  return createDatabase(server);
}

/** Creates a copy of the database that `template` leads to, to which nobody may be connected. */
export function copyTestDatabase(template: string): Promise<TestDatabase> {
  const server = new URL(template);
  const original = server.pathname.slice(1);
  server.pathname = '/postgres';
  return createDatabase(server.href, `template ${original}`);
}

async function createDatabase(server: string, from = ''): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await onServer(server, `create database ${name} ${from}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => onServer(server, `drop database if exists ${name} with (force)`) };
}

/** One statement on a connection of its own: `create database` may not share a transaction. */
async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
