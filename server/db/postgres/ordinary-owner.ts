import type pg from 'pg';
import type { CodeObject } from '../schema/code-objects.ts';
import type { Schema } from '../schema/schema.ts';
import { getLoginName } from './address.ts';
import { type Rights, getViewOwners } from './roles.ts';

/**
 * Adaptations for an owner that is not a superuser and cannot bypass row-level security, as on a managed PostgreSQL
 * (docs/decisions/0058-connections-to-postgresql.md).
 */

/** The owner's own functions must reach every row. No other role owns tables, so `force` would bind only the owner. */
const FORCE = /\bforce row level security\b/g;
/** This grant is made before the migrations run. */
const MADE_BEFORE = 'grant anon, authenticated, service_role to authenticator;';

/** Returns the schema in the form that this login can create. Checksums and hashes stay those of the files. */
export function adaptSchema(schema: Schema, { superuser }: Rights): Schema {
  const adapt = (sql: string): string => {
    // The start has already created this table, to store the password of the logins.
    const adapted = sql.replace('create table private.settings (', 'create table if not exists private.settings (');
    return superuser ? adapted : adapted.replace(FORCE, 'no force row level security').replace(MADE_BEFORE, '');
  };
  const migrations = schema.migrations.map((migration) => ({ ...migration, sql: adapt(migration.sql) }));
  if (superuser) return { ...schema, migrations };
  return { ...schema, migrations, code: { ...schema.code, others: letOwnViews(schema) } };
}

/** To own a view, a role needs the right to create in the view's schema. */
function letOwnViews(schema: Schema): readonly CodeObject[] {
  const owners = getViewOwners(schema).join(', ');
  return schema.code.others.map((object) => {
    if (object.kind !== 'view') return object;
    const give = `grant create on schema public, private to ${owners}`;
    const take = `revoke create on schema public, private from ${owners}`;
    return { ...object, statements: [give, ...object.statements, take] };
  });
}

const POLICY = 'the server reaches every row';
/** The tables with row-level security that this login owns, and the roles to which the server's policy applies on each. */
const TABLES = `
select format('%I.%I', n.nspname, c.relname) as name, c.relforcerowsecurity as forced,
  (select array_agg(pg_get_userbyid(r)::text order by 1) from pg_policy p, unnest(p.polroles) as r where p.polrelid = c.oid and p.polname = $1) as roles
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p') and c.relrowsecurity and pg_has_role(current_user, c.relowner, 'usage')
  and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'
order by 1`;

/** Lets the server, the service key and the owner of the views reach all rows where they cannot bypass row-level security. */
export async function letServerReachRows(
  admin: pg.ClientBase,
  rights: Rights,
  viewOwners: readonly string[],
): Promise<void> {
  const groups = new Map(['service_role', ...viewOwners].map((name) => [name, name]));
  groups.set(getLoginName('backend', rights.database), 'backend');
  const { rows: bound } = await admin.query<{ name: string }>(
    'select rolname as name from pg_roles where not rolbypassrls and not rolsuper and rolname = any($1)',
    [[...groups.keys()]],
  );
  const required = bound.map(({ name }) => groups.get(name) ?? name).toSorted();
  if (required.length === 0 && rights.bypassRls) return;
  const { rows: tables } = await admin.query<{ name: string; forced: boolean; roles: string[] | null }>(TABLES, [
    POLICY,
  ]);
  const changes: string[] = [];
  for (const { name, forced, roles } of tables) {
    if (forced && !rights.bypassRls) changes.push(`alter table ${name} no force row level security`);
    if (required.length === 0 || roles?.join() === required.join()) continue;
    changes.push(
      roles === null
        ? `create policy "${POLICY}" on ${name} to ${required.join(', ')} using (true) with check (true)`
        : `alter policy "${POLICY}" on ${name} to ${required.join(', ')}`,
    );
  }
  if (changes.length > 0) await admin.query(`begin; ${changes.join('; ')}; commit`);
}
