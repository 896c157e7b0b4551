import { isSessionAlive } from '#server/auth/sessions/is-session-alive.ts';
import { noteCaller } from '#server/db/request-scope.ts';
import type { ReadCaller } from '#server/http/caller.ts';
import { createGrantedCaller, ROLE_GRANT, type RoleGrant } from '#server/http/granted-roles.ts';
import { createLimits } from '#server/http/limits.ts';
import { refuseSuspended } from '#server/http/suspension.ts';
import { createReadCaller, createSessionWatch } from '#server/http/token.ts';
import type { Config } from '#server/config/operating/config.ts';
import { createBodies } from '#server/start/open-adapters.ts';
import type { Base } from './base.ts';

export type Requests = ReturnType<typeof openRequests>;

/** Opens the steps that all APIs take before the handler of a request: they read its caller, count it, and reserve memory for its body. */
export function openRequests(config: Config, { db, urgent, keys, clock }: Base) {
  const bodies = createBodies(config.limitFactor);
  const limits = createLimits({ queryRow: urgent.queryRow, clock, factor: config.limitFactor });
  const watch = createSessionWatch((id) => isSessionAlive(urgent, config.auth, id, clock()));
  const createReader = (keyRequired: boolean): ReadCaller =>
    refuseSuspended(createReadCaller({ keys, sessions: watch, clock, keyRequired }), db.suspension, noteCaller);
  const lookUpGrant = async (role: string): Promise<RoleGrant> =>
    (await urgent.queryRow<{ grant: RoleGrant }>(ROLE_GRANT, [role]))?.grant ?? 'unknown';
  const readCaller = createReader(config.apiKeyRequired);
  return {
    bodies,
    limits,
    watch,
    readCaller,
    readGranted: createGrantedCaller(readCaller, lookUpGrant),
    // As on hosted Supabase, storage always requires a key, except for public objects.
    readGrantedWithKey: createGrantedCaller(createReader(true), lookUpGrant),
  };
}
