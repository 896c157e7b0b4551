import type pg from 'pg';
import type { Database, Query, Transaction } from '../database.ts';
import { migrate, type OpenOptions } from '../schema/migrate.ts';
import type { Migrator } from '../schema/migrator.ts';
import { getLoginName, toAddress, withLogin } from './address.ts';
import { connectPatiently, type Waiting } from './connect.ts';
import { toTransaction } from '../transaction.ts';
import { adaptSchema, letServerReachRows } from './ordinary-owner.ts';
import { createPostgres, type PostgresOptions } from './postgres.ts';
import { DatabaseRefused } from './refused.ts';
import { storeSettings } from './session-settings.ts';
import { loginPassword, makeRoles, readRights, getViewOwners } from './roles.ts';

/** The advisory lock that lets only one process migrate at a time; the number is arbitrary. */
const MIGRATION_LOCK = 7_204_001;
/** The pause between two attempts to take the lock. */
const LOCK_PAUSE_MS = 200;
const OLDEST_VERSION = 150_000;

/**
 * `waitSeconds`: how long the start waits for a database that does not answer. `pooledUrl`: the address of a pooler that assigns a
 * connection for one transaction at a time. `replica`: a streaming replica for reads by guests, and the maximum age of its data.
 */
export type PostgresOpenOptions = OpenOptions &
  Pick<PostgresOptions, 'poolSize' | 'queue' | 'isStaff'> & {
    readonly waitSeconds?: number;
    readonly pooledUrl?: string | null;
    readonly replica?: { readonly url: string; readonly maxLagMs: number } | null;
  };

/**
 * Opens a PostgreSQL server. `url` is the login of the database's owner, which is used to migrate; then the server uses two separate
 * logins: `backend_…` for its own work and `authenticator_…`, which can only become a caller. Throws `DatabaseRefused` and
 * `DatabaseUnreachable`.
 */
export async function openPostgres(url: string, options: PostgresOpenOptions): Promise<Database> {
  const address = toAddress(url);
  const admin = await connectPatiently(address, { seconds: options.waitSeconds ?? 0, report: options.report });
  let password: string;
  try {
    password = await prepare(admin, address.url, options);
    if (options.pooledUrl) await storeSettings(admin, address.database);
  } finally {
    await admin.end();
  }
  const { database } = address;
  const { pooledUrl, replica } = options;
  const loginsAt = (server: string) => ({
    backendUrl: withLogin(server, getLoginName('backend', database), password),
    authenticatorUrl: withLogin(server, getLoginName('authenticator', database), password),
  });
  return createPostgres({
    ...loginsAt(pooledUrl ?? url),
    ...(pooledUrl ? { pooled: true, listenUrl: loginsAt(url).backendUrl } : {}),
    ...(replica ? { replica: { ...loginsAt(replica.url), maxLagMs: replica.maxLagMs } } : {}),
    poolSize: options.poolSize,
    ...(options.queue ? { queue: options.queue } : {}),
    ...(options.isStaff ? { isStaff: options.isStaff } : {}),
    warn: options.warn,
  });
}

/** Migrates a database and calls `work` with the rights of its owner, in one transaction. */
export async function asOwner<T>(
  url: string,
  options: OpenOptions & { readonly waitSeconds: number },
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const address = toAddress(url);
  const admin = await connectPatiently(address, { seconds: options.waitSeconds, report: options.report });
  try {
    await prepare(admin, address.url, options);
    const query: Query = async <R>(text: string, values: readonly unknown[] = []) => {
      const { rows, rowCount } = await admin.query<R & pg.QueryResultRow>(text, [...values]);
      return { rows, count: rowCount ?? 0 };
    };
    await admin.query('begin');
    const done = await work(toTransaction(query));
    await admin.query('commit');
    return done;
  } finally {
    // Closing the connection rolls back what is not committed.
    await admin.end();
  }
}

/**
 * Calls `work` with a reader of the database in a single read-only transaction, while servers use it. Takes no lock that could make a
 * server wait.
 */
export async function asReader<T>(
  url: string,
  waiting: Waiting,
  work: (engine: Pick<Migrator, 'rows'>) => Promise<T>,
): Promise<T> {
  const admin = await connectPatiently(toAddress(url), waiting);
  try {
    await refuseOldServer(admin);
    await admin.query('begin isolation level repeatable read read only');
    return await work(toReader(admin));
  } finally {
    await admin.end();
  }
}

const toReader = (admin: pg.Client): Pick<Migrator, 'rows'> => ({
  rows: async (sql) => (await admin.query<Record<string, unknown>>(sql)).rows,
});

async function refuseOldServer(admin: pg.Client): Promise<void> {
  const { rows } = await admin.query<{ version: number }>(
    `select current_setting('server_version_num')::int as version`,
  );
  if ((rows[0]?.version ?? 0) < OLDEST_VERSION)
    throw new DatabaseRefused(['DATABASE_URL must lead to PostgreSQL 15 or newer']);
}

/** Creates the roles, migrates and returns the password of the logins. Only one process at a time does so. */
async function prepare(admin: pg.Client, url: string, options: OpenOptions): Promise<string> {
  await refuseOldServer(admin);
  await takeMigrationLock(admin);
  const rights = await readRights(admin);
  const password = await loginPassword(admin);
  const viewOwners = getViewOwners(options.schema);
  await makeRoles(admin, { url, rights, password, viewOwners });
  const migrator: Migrator = {
    ...toReader(admin),
    script: async (sql) => void (await admin.query(sql)),
  };
  const upgrade = await migrate(migrator, adaptSchema(options.schema, rights), options.report).catch(
    async (error: unknown) => {
      await admin.query('rollback');
      throw error;
    },
  );
  await letServerReachRows(admin, rights, viewOwners);
  if (upgrade.migrations.length > 0) await admin.query('grant all on private.settings to backend');
  // Other processes must reload their schema cache.
  if (upgrade.migrations.length + upgrade.objects.length > 0) await admin.query(`notify pgrst, 'reload schema'`);
  return password;
}

/**
 * Waits until no other process migrates. It polls, because a statement that waits for the lock would keep a snapshot, and `create index
 * concurrently` waits until no older snapshot is left.
 */
async function takeMigrationLock(admin: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await admin.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      MIGRATION_LOCK,
    ]);
    if (rows[0]?.taken) return;
    await new Promise((done) => setTimeout(done, LOCK_PAUSE_MS));
  }
}
