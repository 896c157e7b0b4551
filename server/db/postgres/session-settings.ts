import pg from 'pg';
import { retryConcurrentUpdate } from '../concurrent-update.ts';
import { getLoginName } from './address.ts';
import { DatabaseRefused } from './refused.ts';

/** The server's two logins. */
export type LoginName = 'backend' | 'authenticator';

/** The settings of every connection of a login, by PostgreSQL's names. */
type Settings = Readonly<Record<string, string>>;

const ALL: Settings = {
  timezone: 'UTC',
  datestyle: 'ISO',
  intervalstyle: 'iso_8601',
  bytea_output: 'hex',
  // PostgreSQL compiles statements that it expects to be expensive. With `limit`, its estimate is far too high on a large table, and
  // compiling takes a hundred times longer than the statement.
  jit: 'off',
};
/** A statement of the server that takes longer is a bug; an idle transaction holds locks that others wait for. */
const LIMITS: Readonly<Record<LoginName, Settings>> = {
  backend: { statement_timeout: '30s', idle_in_transaction_session_timeout: '30s' },
  authenticator: { statement_timeout: '3s', idle_in_transaction_session_timeout: '10s' },
};
const getSettings = (login: LoginName): Settings => ({ ...ALL, ...LIMITS[login] });

/** Returns the settings as startup options of a connection. */
export function startupOptions(login: LoginName): string {
  return Object.entries(getSettings(login))
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}

/**
 * Stores the settings with the two logins of this database, for connections through a pooler, which does not pass startup options on.
 * Throws `DatabaseRefused` with the statements if the login in DATABASE_DIRECT_URL lacks the right.
 */
export async function storeSettings(admin: pg.ClientBase, database: string): Promise<void> {
  const { rows } = await admin.query<{ login: string; setting: string }>(
    `select r.rolname as login, s.setting from pg_db_role_setting x join pg_roles r on r.oid = x.setrole
     cross join unnest(x.setconfig) as s (setting)
     where x.setdatabase = (select oid from pg_database where datname = current_database())`,
  );
  const stored = new Set(rows.map(({ login, setting }) => `${login} ${setting.toLowerCase()}`));
  const missing = (['backend', 'authenticator'] as const).flatMap((name) => {
    const login = getLoginName(name, database);
    return Object.entries(getSettings(name))
      .filter(([setting, value]) => !stored.has(`${login} ${`${setting}=${value}`.toLowerCase()}`))
      .map(([setting, value]) => storing(login, database, setting, value));
  });
  try {
    for (const sql of missing) await retryConcurrentUpdate(() => admin.query(sql));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === '42501')) throw error;
    throw new DatabaseRefused(
      [
        'DATABASE_POOL_MODE: the login of DATABASE_DIRECT_URL has no right to store settings with the logins of the server; have an administrator run this, then start again:',
        ...missing.map((sql) => `  ${sql};`),
      ],
      error,
    );
  }
}

function storing(login: string, database: string, setting: string, value: string): string {
  const [role, name] = [pg.escapeIdentifier(login), pg.escapeIdentifier(database)];
  return `alter role ${role} in database ${name} set ${setting} to ${pg.escapeLiteral(value)}`;
}
