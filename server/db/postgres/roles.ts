import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { getObjects, type Schema } from '../schema/schema.ts';
import { retryConcurrentUpdate } from '../concurrent-update.ts';
import { getLoginName, withLogin } from './address.ts';
import { DatabaseRefused } from './refused.ts';
import { scramVerifier } from './scram.ts';

/** The rights of the login in DATABASE_URL. */
export type Rights = {
  readonly login: string;
  readonly database: string;
  readonly superuser: boolean;
  /** Whether its own statements bypass row-level security, and whether it can grant that right. */
  readonly bypassRls: boolean;
  readonly givesBypassRls: boolean;
};

export async function readRights(admin: pg.ClientBase): Promise<Rights> {
  const { rows } = await admin.query<Rights>(
    `select rolname as login, current_database() as database, rolsuper as superuser, rolsuper or rolbypassrls as "bypassRls",
       rolsuper or (rolbypassrls and rolcreaterole and current_setting('server_version_num')::int >= 160000) as "givesBypassRls"
     from pg_roles where rolname = current_user`,
  );
  const [rights] = rows;
  if (!rights) throw new Error('the login of DATABASE_URL has no role');
  return rights;
}

/** All installations of a cluster share these roles; none of them can log in. */
const GROUPS: readonly { readonly name: string; readonly attributes: string; readonly bypass: boolean }[] = [
  { name: 'anon', attributes: 'nologin noinherit', bypass: false },
  { name: 'authenticated', attributes: 'nologin noinherit', bypass: false },
  { name: 'service_role', attributes: 'nologin noinherit', bypass: true },
  { name: 'authenticator', attributes: 'nologin noinherit', bypass: false },
  { name: 'backend', attributes: 'nologin', bypass: true },
];
/** Returns the roles that own views. They can read all rows; the views apply their own rules. */
export function getViewOwners(schema: Schema): readonly string[] {
  const statements = getObjects(schema).flatMap((object) => object.statements);
  const found = statements.flatMap((text) => /^alter view \S+ owner to (\w+)$/.exec(text)?.[1] ?? []);
  return [...new Set(found)].toSorted();
}
const CALLERS = ['anon', 'authenticated', 'service_role'] as const;

const id = (name: string): string => pg.escapeIdentifier(name);

/** Runs an administrator's statements and collects those that the login lacks the right to run. */
function createRunner(admin: pg.ClientBase) {
  const refused: string[] = [];
  return {
    refused,
    run: async (sql: string): Promise<void> => {
      try {
        await retryConcurrentUpdate(() => admin.query(sql));
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : '';
        // Another installation created the role at the same moment.
        if (code === '42710' || code === '23505') return;
        // The login lacks the right, or the statement names a role that could not be created.
        if (code !== '42501' && code !== '42704') throw error;
        refused.push(`${sql};`);
      }
    },
  };
}
type Runner = ReturnType<typeof createRunner>;

const formatBypass = ({ givesBypassRls }: Rights): string => (givesBypassRls ? ' bypassrls' : '');

/** `viewOwners`: see `getViewOwners`. */
type RoleOptions = {
  readonly url: string;
  readonly rights: Rights;
  readonly password: string;
  readonly viewOwners: readonly string[];
};

/**
 * Creates the program's roles and the two logins of this database, with `password`. Throws `DatabaseRefused` with the missing statements if
 * the login in DATABASE_URL has no right to create them. It changes nothing that other databases of the cluster use.
 */
export async function makeRoles(
  admin: pg.ClientBase,
  { url, rights, password, viewOwners }: RoleOptions,
): Promise<void> {
  const runner = createRunner(admin);
  await runGroups(admin, rights, viewOwners, runner);
  const logins = getLoginNames(rights.database);
  await runLogins(admin, url, rights, password, runner);
  await grantMissing(admin, runner, [
    ['authenticator', logins.authenticator],
    ['backend', logins.backend],
  ]);
  refuse(rights, runner);
  await keepOthersOut(admin, rights.database, Object.values(logins));
}

/** Lists the program's roles that are missing and that the login cannot create. */
export async function missingRoles(admin: pg.ClientBase): Promise<string[]> {
  const { rows } = await admin.query<{ able: boolean; database: string }>(
    'select rolsuper or rolcreaterole as able, current_database() as database from pg_roles where rolname = current_user',
  );
  if (!rows[0] || rows[0].able) return [];
  const existing = await roleNames(admin);
  const needed = [...GROUPS.map(({ name }) => name), ...Object.values(getLoginNames(rows[0].database))];
  return needed.filter((name) => !existing.has(name));
}

/** Creates only the shared roles, which the dump of a database names. */
export async function makeGroups(admin: pg.ClientBase, rights: Rights, viewOwners: readonly string[]): Promise<void> {
  const runner = createRunner(admin);
  await runGroups(admin, rights, viewOwners, runner);
  refuse(rights, runner);
}

async function runGroups(
  admin: pg.ClientBase,
  rights: Rights,
  viewOwners: readonly string[],
  runner: Runner,
): Promise<void> {
  const existing = await roleNames(admin);
  const groups = [...GROUPS, ...viewOwners.map((name) => ({ name, attributes: 'nologin', bypass: true }))];
  for (const { name, attributes, bypass } of groups)
    if (!existing.has(name)) await runner.run(`create role ${name} ${attributes}${bypass ? formatBypass(rights) : ''}`);
  await grantMissing(admin, runner, [
    ...CALLERS.map((caller): [string, string] => [caller, 'authenticator']),
    // To give a view to another role, the login must be a member of that role.
    ...(rights.superuser ? [] : viewOwners.map((name): [string, string] => [name, rights.login])),
  ]);
}

async function runLogins(
  admin: pg.ClientBase,
  url: string,
  rights: Rights,
  password: string,
  runner: Runner,
): Promise<void> {
  const { backend, authenticator } = getLoginNames(rights.database);
  const existing = await roleNames(admin);
  const secret = pg.escapeLiteral(scramVerifier(password));
  const attributes = [
    [backend, `login${formatBypass(rights)}`],
    [authenticator, 'login noinherit'],
  ] as const;
  for (const [login, options] of attributes)
    if (!existing.has(login)) await runner.run(`create role ${id(login)} ${options} password ${secret}`);
  if (attributes.some(([login]) => !existing.has(login)) || (await canLogIn(withLogin(url, backend, password)))) return;
  for (const [login] of attributes) await runner.run(`alter role ${id(login)} login password ${secret}`);
}

async function grantMissing(
  admin: pg.ClientBase,
  runner: Runner,
  members: readonly [role: string, member: string][],
): Promise<void> {
  const memberships = await readMemberships(admin);
  for (const [role, member] of members)
    if (!memberships.has(`${role}>${member}`)) await runner.run(`grant ${id(role)} to ${id(member)}`);
}

function refuse({ login }: Rights, { refused }: Runner): void {
  if (refused.length === 0) return;
  throw new DatabaseRefused([
    `the login ${login} of DATABASE_URL has no right to create the roles that the server needs; have an administrator of the cluster run this, then start again:`,
    ...refused.map((sql) => `  ${sql}`),
  ]);
}

const getLoginNames = (database: string) => ({
  backend: getLoginName('backend', database),
  authenticator: getLoginName('authenticator', database),
});

/**
 * Logins of other installations are members of the same shared roles, so only this database's own logins may connect to it. Roles that an
 * operator adds need a grant. This happens only once, because an operator may grant the right to PUBLIC again.
 */
async function keepOthersOut(admin: pg.ClientBase, database: string, logins: readonly string[]): Promise<void> {
  const { rows } = await admin.query(
    `select from pg_database d where d.datname = current_database() and pg_has_role(current_user, d.datdba, 'usage')
       and not exists (select from aclexplode(d.datacl) a join pg_roles r on r.oid = a.grantee where r.rolname = any($1) and a.privilege_type = 'CONNECT')`,
    [logins],
  );
  if (rows.length === 0) return;
  const change = `grant connect, temporary on database ${id(database)} to ${logins.map(id).join(', ')}`;
  await retryConcurrentUpdate(() => admin.query(change));
  await retryConcurrentUpdate(() => admin.query(`revoke connect on database ${id(database)} from public`));
}

async function roleNames(admin: pg.ClientBase): Promise<Set<string>> {
  const { rows } = await admin.query<{ name: string }>('select rolname as name from pg_roles');
  return new Set(rows.map(({ name }) => name));
}

async function readMemberships(admin: pg.ClientBase): Promise<Set<string>> {
  const { rows } = await admin.query<{ pair: string }>(
    `select r.rolname || '>' || m.rolname as pair from pg_auth_members a join pg_roles r on r.oid = a.roleid join pg_roles m on m.oid = a.member`,
  );
  return new Set(rows.map(({ pair }) => pair));
}

/** Whether the login works. Any failure other than a refused login counts as working: the server reports it when it uses the login. */
async function canLogIn(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && String(error.code).startsWith('28'));
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Leaves an existing table alone: to alter it, the start would wait for every transaction that has read it, and all later reads for the start. */
const SETTINGS = `
create schema if not exists private;
do $settings$
begin
  if to_regclass('private.settings') is null then
    create table private.settings (name text primary key, value jsonb not null);
    alter table private.settings enable row level security;
  end if;
end $settings$;
`;

/** Returns the password of both logins. It is kept in the database, so that all servers of an installation share it. */
export async function loginPassword(admin: pg.ClientBase): Promise<string> {
  await admin.query(SETTINGS);
  await admin.query(
    `insert into private.settings (name, value) values ('login_password', to_jsonb($1::text)) on conflict (name) do nothing`,
    [randomBytes(24).toString('base64url')],
  );
  const { rows } = await admin.query<{ password: string }>(
    `select value #>> '{}' as password from private.settings where name = 'login_password'`,
  );
  const password = rows[0]?.password;
  if (!password) throw new Error('the login password of the server is missing from private.settings');
  return password;
}
