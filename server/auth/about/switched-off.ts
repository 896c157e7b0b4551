import type { Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';

/** Adds an answer for what the protocol has and we do not serve, in the words it has for that (wire.md 2). */
export function addSwitchedOff(router: Hono<Env>, parts: AuthContext): void {
  router.on(['GET', 'POST', 'DELETE'], ['/oauth/*', '/user/oauth/*'], () => {
    throw refuse.disabled(404, 'feature_disabled', 'OAuth server is disabled');
  });
  // Only the service key may even learn what is not there.
  router.on(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], ['/admin/*', '/invite'], async (c) => {
    const caller = await parts.readCaller(c.req.raw, c.var.ip);
    if (caller.role !== 'service_role') throw new AuthRefusal(403, 'not_admin', 'User not allowed');
    throw refuse.disabled(404, 'feature_disabled', 'There is no such call for the service');
  });
}
