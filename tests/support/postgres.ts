import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openPostgres } from '#server/db/postgres/open-postgres.ts';
import { getFingerprint } from '#server/db/schema/schema.ts';
import { isRecording, recordFunctions } from './databases/executed-functions.ts';
import { checkedOutSchema } from './image.ts';

/** The database of one test file. */
export type TestDatabase = {
  /** The `postgres://` URL of the new, empty database, for a superuser. */
  readonly url: string;
  /** Closes all connections and removes the database. */
  drop(): Promise<void>;
};

/**
 * Creates an empty database on the PostgreSQL that `npm test` started (`TEST_POSTGRES_URL`, the superuser's URL of the maintenance
 * database). Returns null if there is none: the caller then uses only the embedded database.
 */
export async function createTestDatabase(): Promise<TestDatabase | null> {
  const server = process.env['TEST_POSTGRES_URL'];
  if (server === undefined || server === '') return null;
  return onServer(server, (client) => create(server, client, 'template1'));
}

/** Creates a copy of the database at the URL `template`, to which nothing may be connected. */
export function copyTestDatabase(template: string): Promise<TestDatabase> {
  const server = new URL(template);
  const original = server.pathname.slice(1);
  server.pathname = '/postgres';
  return onServer(server.href, (client) => create(server.href, client, original));
}

/**
 * Creates a migrated database as a copy of one that the first caller migrates. Returns null without a PostgreSQL. `server`: a superuser's
 * URL.
 */
export async function createMigratedDatabase(server = process.env['TEST_POSTGRES_URL']): Promise<TestDatabase | null> {
  if (server === undefined || server === '') return null;
  const schema = await checkedOutSchema();
  const template = `migrated_${getFingerprint(schema)}`;
  return onServer(server, async (client) => {
    // The lock is held until this connection ends: one process migrates while the others wait.
    await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const { rows } = await client.query('select from pg_database where datname = $1', [template]);
    if (rows.length === 0) {
      const fresh = await create(server, client, 'template1');
      const database = await openPostgres(fresh.url, { schema, report: ignore, warn: ignore, poolSize: 2 });
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
  const drop = async (): Promise<void> => {
    // A test may have dropped the database.
    if (isRecording) await onServer(url.href, (own) => recordFunctions((text) => own.query(text))).catch(ignore);
    await onServer(server, (admin) => admin.query(`drop database if exists ${name} with (force)`));
  };
  return { name, url: url.href, drop };
}

/** Runs statements on a separate connection, because `create database` cannot run in a transaction. */
async function onServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** A separate PostgreSQL server that can be stopped and started again. Commits wait for the disk, as in production. */
export type OwnPostgres = {
  /** The URL of the maintenance database, for a superuser. */
  readonly url: string;
  /** The folder of the server's files. */
  readonly data: string;
  /** Runs another program as the server's account. Returns its output. Throws if it fails. */
  run(program: string, ...args: readonly string[]): string;
  /** Ends all connections, as when an administrator stops the server. */
  stop(): void;
  start(): void;
  /** Stops the server and deletes its files. */
  remove(): void;
};

type OwnPostgresOptions = {
  readonly from?: string;
  readonly lines?: readonly string[];
  readonly env?: (data: string) => Record<string, string>;
};

/**
 * Creates and starts a server on a port with the programs of `TEST_POSTGRES_BIN`. `from`: the URL of the server of which it is a streaming
 * replica. `lines`: lines of its configuration. `env`: returns variables of its programs, given its data folder. The folder of its socket
 * contains that folder.
 */
export function startOwnPostgres(
  port: number,
  { from, lines = [], env = () => ({}) }: OwnPostgresOptions = {},
): OwnPostgres {
  const folder = mkdtempSync(join(tmpdir(), 'own-postgres-'));
  const account = unprivilegedAccount();
  if (account.uid !== undefined) chownSync(folder, account.uid, account.gid);
  const data = join(folder, 'data');
  const options = { ...account, cwd: folder, env: { ...process.env, ...env(data) } };
  const run = (program: string, ...args: readonly string[]): void => {
    const path = join(process.env['TEST_POSTGRES_BIN'] ?? '', program);
    // A started server keeps its output open, so with a pipe this call would wait for the server's end.
    const { status } = spawnSync(path, args, { ...options, stdio: 'ignore' });
    if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed`);
  };
  const listening = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder} -c shared_buffers=64MB`;
  const start = (): void => run('pg_ctl', '-D', data, '-o', listening, '-l', join(folder, 'log'), '-w', 'start');
  const stop = (): void => run('pg_ctl', '-D', data, '-m', 'fast', '-w', 'stop');
  if (from !== undefined) run('pg_basebackup', '-D', data, '-d', from, '-R', '--checkpoint=fast', '--no-sync');
  else run('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync');
  if (lines.length > 0) appendFileSync(join(data, 'postgresql.conf'), `${lines.join('\n')}\n`);
  start();
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    data,
    run(program, ...args) {
      const { status, stdout, stderr } = spawnSync(program, args, { ...options, encoding: 'utf8' });
      if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${stdout}${stderr}`);
      return stdout;
    },
    start,
    stop,
    remove() {
      stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root. */
function unprivilegedAccount(): { uid: number; gid: number } | { uid?: undefined; gid?: undefined } {
  if (process.getuid?.() !== 0) return {};
  const readId = (name: string, kind: string): number => {
    const { status, stdout } = spawnSync('id', [kind, name], { encoding: 'utf8' });
    return status === 0 ? Number(stdout) : NaN;
  };
  const name = ['postgres', 'nobody'].find((name) => !Number.isNaN(readId(name, '-u')));
  if (name === undefined) throw new Error('PostgreSQL needs an account other than root');
  return { uid: readId(name, '-u'), gid: readId(name, '-g') };
}
