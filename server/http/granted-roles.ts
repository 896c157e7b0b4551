import { LRUCache } from 'lru-cache';
import { type ReadCaller, TokenRefused } from './caller.ts';

/** Whether callers may use a database role. As in PostgREST, the role must be granted to `authenticator`. */
export type RoleGrant = 'granted' | 'not_granted' | 'unknown';

/** The roles of every installation. They need no lookup. */
const ALWAYS: ReadonlySet<string> = new Set(['anon', 'authenticated', 'service_role']);
/** How long a lookup is cached. A new grant or revoke takes effect after at most this time. */
const CACHE_MS = 10_000;
const CACHE_MAX = 200;

/**
 * Reads callers and checks that their role is granted to `authenticator`. APIs that run statements as the caller need this check, because
 * the embedded engine would accept any role, even a superuser. Throws `TokenRefused`.
 */
export function createGrantedCaller(
  readCaller: ReadCaller,
  lookUpGrant: (role: string) => Promise<RoleGrant>,
): ReadCaller {
  const cache = new LRUCache<string, { readonly grant: Promise<RoleGrant>; readonly at: number }>({ max: CACHE_MAX });
  const readGrant = (role: string): Promise<RoleGrant> => {
    const cached = cache.get(role);
    if (cached && performance.now() - cached.at < CACHE_MS) return cached.grant;
    const entry = { grant: lookUpGrant(role), at: performance.now() };
    cache.set(role, entry);
    entry.grant.catch(() => {
      if (cache.peek(role) === entry) cache.delete(role);
    });
    return entry.grant;
  };
  return async (request, ip) => {
    const caller = await readCaller(request, ip);
    if (ALWAYS.has(caller.role)) return caller;
    const grant = await readGrant(caller.role);
    if (grant === 'unknown') throw new TokenRefused('unknown_role', `role "${caller.role}" does not exist`);
    if (grant === 'not_granted')
      throw new TokenRefused('role_not_granted', `permission denied to set role "${caller.role}"`);
    return caller;
  };
}

/** SQL that returns `grant` for the role $1. Callers cannot have the role `authenticator` itself. */
export const ROLE_GRANT = `
select case when not exists (select from pg_catalog.pg_roles r where r.rolname = $1) then 'unknown'
  when exists (select from pg_catalog.pg_roles r where r.rolname = $1 and r.rolname <> 'authenticator' and not r.rolsuper
    and pg_catalog.pg_has_role('authenticator', r.oid, 'member')) then 'granted'
  else 'not_granted' end as grant`;
