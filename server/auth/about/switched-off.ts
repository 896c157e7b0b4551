import type { Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';

/** Answers the calls of the protocol that this server does not offer, with GoTrue's errors. */
export function addSwitchedOff(router: Hono<Env>, context: AuthContext): void {
  router.on(['GET', 'POST', 'DELETE'], ['/oauth/*', '/user/oauth/*'], () => {
    throw refuse.disabled(404, 'feature_disabled', 'OAuth server is disabled');
  });
  // Only the service key may learn which admin calls are missing.
  router.on(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], ['/admin/*', '/invite'], async (c) => {
    const caller = await context.readCaller(c.req.raw, c.var.ip);
    if (caller.role !== 'service_role') throw new AuthRefusal(403, 'not_admin', 'User not allowed');
    throw refuse.disabled(404, 'feature_disabled', 'There is no such call for the service');
  });
}
