import type { Query } from '#server/db/database.ts';
import type { CallerClass } from './cost/bounds.ts';

/** How the data door behaves. Named as PostgREST names them, so that what people know of it holds. */
export type RestSettings = {
  /** Schemas the door answers for; the first is meant when a request names none. */
  readonly schemas: readonly string[];
  /** Schemas searched besides for types, operators and computed columns. */
  readonly extraSearchPath: readonly string[];
  /** Rows in one list, at most. */
  readonly maxRows: number;
  /** Sums and counts by request; off as in PostgREST, since they can be made to cost much. */
  readonly aggregates: boolean;
  /** Whether the planner's thoughts are told. */
  readonly plans: boolean;
  readonly txEnd: TxEnd;
  /** A function `schema.name` called before each request, as its caller; it may refuse or set what the request sees. */
  readonly preRequest: string | null;
  /** A function of the first schema that describes the door instead of the catalogue. */
  readonly rootSpec: string | null;
  readonly openapi: OpenapiMode;
  /** Bytes an answer may have, by who asks. */
  readonly answerBytes: Readonly<Record<CallerClass, number>>;
};
export const TX_ENDS = ['commit', 'commit-allow-override', 'rollback', 'rollback-allow-override'] as const;
export type TxEnd = (typeof TX_ENDS)[number];
export const OPENAPI_MODES = ['follow-privileges', 'ignore-privileges', 'disabled'] as const;
export type OpenapiMode = (typeof OPENAPI_MODES)[number];

/** What a role asks for whenever a request runs as it, e.g. its statement_timeout. */
export type RoleSettings = ReadonlyMap<string, Readonly<Record<string, string>>>;

/** $1: roles. A setting for this database wins over one for all. */
const SETTINGS = `
select r.rolname as role, s.setdatabase <> 0 as here, split_part(u.setting, '=', 1) as name, substr(u.setting, position('=' in u.setting) + 1) as value
from pg_db_role_setting s join pg_roles r on r.oid = s.setrole cross join unnest(s.setconfig) as u(setting)
where r.rolname = any($1::text[]) and s.setdatabase in (0, (select d.oid from pg_database d where d.datname = current_database()))
order by here`;
/** $1: names. Those that anybody may set for a transaction. */
const FREE = `select name from pg_settings where name = any($1::text[]) and context = 'user'`;

/** The roles that callers can have: those granted to `authenticator`. */
const CALLERS = `
select r.rolname as name from pg_roles r where r.rolname <> 'authenticator' and not r.rolsuper and pg_has_role('authenticator', r.oid, 'member')`;
/** What every request sets itself. */
const OWN = new Set(['role', 'search_path', 'transaction_read_only', 'session_authorization']);

type SettingRow = { role: string; here: boolean; name: string; value: string };

/**
 * The settings in force: those of the environment, overruled by `alter role authenticator set pgrst.db_… = …`.
 * An overruling value that cannot be read is left out and told to `warn`.
 */
export async function readSettings(
  query: Query,
  given: RestSettings,
  warn: (line: string) => void,
): Promise<{ settings: RestSettings; roles: RoleSettings }> {
  const callers = (await query<{ name: string }>(CALLERS)).rows.map((row) => row.name);
  const { rows } = await query<SettingRow>(SETTINGS, [['authenticator', ...callers]]);
  const own = rows.filter((row) => row.role === 'authenticator' && row.name.startsWith('pgrst.'));
  const settings = own.reduce((so_far, row) => overrule(so_far, row, warn), given);
  const named = [...new Set(rows.map((row) => row.name))];
  const free = new Set((await query<{ name: string }>(FREE, [named])).rows.map((row) => row.name));
  const roles = callers.map((role): [string, Record<string, string>] => {
    const of = rows.filter((row) => row.role === role && free.has(row.name) && !OWN.has(row.name));
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
const oneOf = <T extends string>(all: readonly T[], text: string): T | null => all.find((one) => one === text) ?? null;
const rows = (text: string): number | null => (/^[1-9]\d{0,6}$/.test(text) ? Number(text) : null);

function overrule(settings: RestSettings, { name, value }: SettingRow, warn: (line: string) => void): RestSettings {
  const change = readSetting(name.slice('pgrst.'.length), value);
  if (change) return { ...settings, ...change };
  warn(`${name} is set to what the data door cannot use`);
  return settings;
}

/** What one `pgrst.*` setting changes; null when it cannot be read. */
function readSetting(name: string, value: string): Partial<RestSettings> | null {
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
      const txEnd = oneOf(TX_ENDS, value);
      return txEnd === null ? null : { txEnd };
    }
    case 'openapi_mode': {
      const openapi = oneOf(OPENAPI_MODES, value);
      return openapi === null ? null : { openapi };
    }
    case 'db_pre_request':
      return { preRequest: value === '' ? null : value };
    case 'db_root_spec':
      return { rootSpec: value === '' ? null : value };
    default:
      return {}; // PostgREST has more settings than this door has use for
  }
}
