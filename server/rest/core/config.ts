import type { Query } from '#server/db/database.ts';
import { getLoginName } from '#server/db/postgres/address.ts';
import type { CallerClass } from './bounds.ts';

/** The settings of `/rest/v1`, named as in PostgREST so that its documentation applies. */
export type RestConfig = {
  /** The exposed schemas; the first is the default. */
  readonly schemas: readonly string[];
  /** Further schemas searched for types, operators and computed columns. */
  readonly extraSearchPath: readonly string[];
  /** Maximum number of rows in one list. */
  readonly maxRows: number;
  /** Whether callers may use aggregates; off by default as in PostgREST, because they can be expensive. */
  readonly aggregates: boolean;
  /** Whether callers may see query plans. */
  readonly plans: boolean;
  readonly txEnd: TxEnd;
  /** A function `schema.name` that runs before each request, as its caller. It may refuse the request or change its settings. */
  readonly preRequest: string | null;
  /** A function of the first schema that replaces the generated API description. */
  readonly rootSpec: string | null;
  readonly openapi: OpenapiMode;
  /** Maximum size of an answer, in bytes, by kind of caller. */
  readonly answerBytes: Readonly<Record<CallerClass, number>>;
};
const TX_ENDS = ['commit', 'commit-allow-override', 'rollback', 'rollback-allow-override'] as const;
type TxEnd = (typeof TX_ENDS)[number];
const OPENAPI_MODES = ['follow-privileges', 'ignore-privileges', 'disabled'] as const;
type OpenapiMode = (typeof OPENAPI_MODES)[number];

/** Settings of a role that apply to each of its requests, e.g. statement_timeout. */
export type RoleSettings = ReadonlyMap<string, Readonly<Record<string, string>>>;

/** $1: role names. A setting for this database overrides one for all databases. */
const SETTINGS = `
select r.rolname as role, s.setdatabase <> 0 as here, split_part(u.setting, '=', 1) as name, substr(u.setting, position('=' in u.setting) + 1) as value
from pg_db_role_setting s join pg_roles r on r.oid = s.setrole cross join unnest(s.setconfig) as u(setting)
where r.rolname = any($1::text[]) and s.setdatabase in (0, (select d.oid from pg_database d where d.datname = current_database()))
order by here, r.rolname <> 'authenticator'`;
/** $1: setting names. Returns those that any role may set. */
const FREE = `select name from pg_settings where name = any($1::text[]) and context = 'user'`;

/** The roles of callers: those granted to `authenticator`. */
const CALLERS = `
select r.rolname as name from pg_roles r where r.rolname <> 'authenticator' and not r.rolsuper and pg_has_role('authenticator', r.oid, 'member')`;
/** Settings that every request sets itself. */
const SET_PER_REQUEST = new Set(['role', 'search_path', 'transaction_read_only', 'session_authorization']);

type SettingRow = { role: string; here: boolean; name: string; value: string };

/**
 * Reads the effective settings. `alter role authenticator set pgrst.db_… = …` overrides the environment; the same statement for this
 * database's own login, `authenticator_…`, overrides both. Ignores a value that it cannot read and reports it to `warn`.
 */
export async function readSettings(
  query: Query,
  fromEnvironment: RestConfig,
  warn: (line: string) => void,
): Promise<{ settings: RestConfig; roles: RoleSettings }> {
  const callers = (await query<{ name: string }>(CALLERS)).rows.map((row) => row.name);
  const { rows: here } = await query<{ name: string }>('select current_database()::text as name');
  const owners = ['authenticator', ...here.map(({ name }) => getLoginName('authenticator', name))];
  const { rows } = await query<SettingRow>(SETTINGS, [[...owners, ...callers]]);
  const own = rows.filter((row) => owners.includes(row.role) && row.name.startsWith('pgrst.'));
  const settings = own.reduce((current, row) => override(current, row, warn), fromEnvironment);
  const named = [...new Set(rows.map((row) => row.name))];
  const free = new Set((await query<{ name: string }>(FREE, [named])).rows.map((row) => row.name));
  const roles = callers.map((role): [string, Record<string, string>] => {
    const of = rows.filter((row) => row.role === role && free.has(row.name) && !SET_PER_REQUEST.has(row.name));
    return [role, Object.fromEntries(of.map((row) => [row.name, row.value]))];
  });
  return { settings, roles: new Map(roles) };
}

const list = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim().replace(/^"(.*)"$/, '$1'))
    .filter((part) => part !== '');
const flag = (text: string): boolean | null =>
  text === 'true' || text === 'on' ? true : text === 'false' || text === 'off' ? false : null;
const findChoice = <T extends string>(all: readonly T[], text: string): T | null =>
  all.find((choice) => choice === text) ?? null;
const rows = (text: string): number | null => (/^[1-9]\d{0,6}$/.test(text) ? Number(text) : null);

function override(settings: RestConfig, { name, value }: SettingRow, warn: (line: string) => void): RestConfig {
  const change = readSetting(name.slice('pgrst.'.length), value);
  if (change) return { ...settings, ...change };
  warn(`the data API cannot use the value of ${name}`);
  return settings;
}

/** Returns the change that one `pgrst.*` setting makes, or null if its value cannot be read. */
function readSetting(name: string, value: string): Partial<RestConfig> | null {
  switch (name) {
    case 'db_schemas':
    case 'db_schema': {
      const schemas = list(value);
      return schemas.length === 0 ? null : { schemas };
    }
    case 'db_extra_search_path':
      return { extraSearchPath: list(value) };
    case 'db_max_rows': {
      const maxRows = rows(value);
      return maxRows === null ? null : { maxRows };
    }
    case 'db_aggregates_enabled': {
      const aggregates = flag(value);
      return aggregates === null ? null : { aggregates };
    }
    case 'db_plan_enabled': {
      const plans = flag(value);
      return plans === null ? null : { plans };
    }
    case 'db_tx_end': {
      const txEnd = findChoice(TX_ENDS, value);
      return txEnd === null ? null : { txEnd };
    }
    case 'openapi_mode': {
      const openapi = findChoice(OPENAPI_MODES, value);
      return openapi === null ? null : { openapi };
    }
    case 'db_pre_request':
      return { preRequest: value === '' ? null : value };
    case 'db_root_spec':
      return { rootSpec: value === '' ? null : value };
    default:
      return {}; // PostgREST settings that do not exist here
  }
}
