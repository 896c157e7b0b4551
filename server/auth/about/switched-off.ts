import type { Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { AuthParts } from '../auth-parts.ts';
import { AuthRefusal, refuse } from '../errors.ts';

/** Adds an answer for what the protocol has and we do not serve, in the words it has for that (wire.md 2). */
export function addSwitchedOff(door: Hono<Env>, parts: AuthParts): void {
  door.on(['GET', 'POST', 'DELETE'], ['/oauth/*', '/user/oauth/*'], () => {
    throw refuse.disabled(404, 'feature_disabled', 'OAuth server is disabled');
  });
  // Only the service key may even learn what is not there.
  door.on(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], ['/admin/*', '/invite'], async (c) => {
    const caller = await parts.readCaller(c.req.raw, c.var.ip);
    if (caller.role !== 'service_role') throw new AuthRefusal(403, 'not_admin', 'User not allowed');
    throw refuse.disabled(404, 'feature_disabled', 'There is no such call for the service');
  });
}
