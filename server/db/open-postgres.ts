import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Database } from './database.ts';
import { retryConcurrentUpdate } from './concurrent-update.ts';
import { migrate, type Migrator, type OpenOptions } from './migrate.ts';
import { createPostgres, type PostgresOptions } from './postgres.ts';

/** The advisory lock that lets one process migrate at a time; the number is arbitrary. */
const MIGRATION_LOCK = 7_204_001;

/**
 * Opens a PostgreSQL server. `url` is an administrator's login, used to migrate; then the server logs in as `backend` (its own work) and
 * `authenticator` (which can only become a caller). Their password is stored in the private schema, so that every process uses the same.
 */
export async function openPostgres(
  url: string,
  options: OpenOptions & Pick<PostgresOptions, 'poolSize' | 'queue' | 'isStaff'>,
): Promise<Database> {
  const admin = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  await admin.connect();
  let password: string;
  try {
    const { rows } = await admin.query<{ version: number }>(
      `select current_setting('server_version_num')::int as version`,
    );
    if ((rows[0]?.version ?? 0) < 150_000) throw new Error('DATABASE_URL must lead to PostgreSQL 15 or newer');
    await admin.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const migrator: Migrator = {
      script: async (sql) => void (await admin.query(sql)),
      rows: async (sql) => (await admin.query<Record<string, unknown>>(sql)).rows,
    };
    const applied = await migrate(migrator, options.migrations, options.report).catch(async (error: unknown) => {
      await admin.query('rollback');
      throw error;
    });
    // Other processes must reload their schema cache.
    if (applied.length > 0) await admin.query(`notify pgrst, 'reload schema'`);
    password = await loginPassword(admin);
  } finally {
    await admin.end();
  }
  const as = (user: string): string => {
    const login = new URL(url);
    login.username = user;
    login.password = password;
    return login.href;
  };
  return createPostgres({
    backendUrl: as('backend'),
    authenticatorUrl: as('authenticator'),
    poolSize: options.poolSize,
    ...(options.queue ? { queue: options.queue } : {}),
    ...(options.isStaff ? { isStaff: options.isStaff } : {}),
    warn: options.warn,
  });
}

/**
 * Sets and returns the password of both logins. Roles belong to the whole cluster, where another database may have set a different one:
 * each process sets it again from this database's record when it opens.
 */
async function loginPassword(admin: pg.Client): Promise<string> {
  await admin.query(
    `insert into private.settings (name, value) values ('login_password', to_jsonb($1::text)) on conflict (name) do nothing`,
    [randomBytes(24).toString('base64url')],
  );
  const { rows } = await admin.query<{ password: string }>(
    `select value #>> '{}' as password from private.settings where name = 'login_password'`,
  );
  const password = rows[0]?.password;
  if (!password) throw new Error('the login password of the server is missing from private.settings');
  for (const change of [
    `backend with password ${pg.escapeLiteral(password)}`,
    `authenticator with password ${pg.escapeLiteral(password)}`,
    `authenticator set statement_timeout = '3s'`,
  ])
    await retryConcurrentUpdate(() => admin.query(`alter role ${change}`));
  return password;
}
