import { type ReadCaller, TokenRefused } from './caller.ts';

/** Whether callers may take a role of the database: those that are granted to `authenticator`, as PostgREST has it. */
export type RoleGrant = 'granted' | 'not_granted' | 'unknown';

/** Every caller's role is one of these unless an operator has made more. */
const ALWAYS: ReadonlySet<string> = new Set(['anon', 'authenticated', 'service_role']);
/** A role that is granted or taken away counts after so long at the latest. */
const REMEMBERED_MS = 10_000;
const REMEMBERED_MAX = 200;

/**
 * Reads callers whose role the database knows and has granted to `authenticator`, for what runs statements as the caller. The embedded
 * engine would take any role, so nothing but this check keeps a token from naming a superuser. Throws `TokenRefused`.
 */
export function createGrantedCaller(readCaller: ReadCaller, ask: (role: string) => Promise<RoleGrant>): ReadCaller {
  const known = new Map<string, { readonly grant: Promise<RoleGrant>; readonly at: number }>();
  const grantOf = (role: string): Promise<RoleGrant> => {
    const found = known.get(role);
    if (found && performance.now() - found.at < REMEMBERED_MS) return found.grant;
    const asked = { grant: ask(role), at: performance.now() };
    if (known.size >= REMEMBERED_MAX) known.clear();
    known.set(role, asked);
    asked.grant.catch(() => {
      if (known.get(role) === asked) known.delete(role);
    });
    return asked.grant;
  };
  return async (request, ip) => {
    const caller = await readCaller(request, ip);
    if (ALWAYS.has(caller.role)) return caller;
    const grant = await grantOf(caller.role);
    if (grant === 'unknown') throw new TokenRefused('unknown_role', `role "${caller.role}" does not exist`);
    if (grant === 'not_granted')
      throw new TokenRefused('role_not_granted', `permission denied to set role "${caller.role}"`);
    return caller;
  };
}

/** SQL that answers `grant` for the role named by $1. `authenticator` itself is no role for callers. */
export const ROLE_GRANT = `
select case when not exists (select from pg_catalog.pg_roles r where r.rolname = $1) then 'unknown'
  when exists (select from pg_catalog.pg_roles r where r.rolname = $1 and r.rolname <> 'authenticator' and not r.rolsuper
    and pg_catalog.pg_has_role('authenticator', r.oid, 'member')) then 'granted'
  else 'not_granted' end as grant`;
