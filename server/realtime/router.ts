import { Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';

/** Creates the router of `/realtime/v1`. Changes are not pushed yet: every path returns 501 in the client's format. */
export function createRealtimeRouter(): Hono<Env> {
  const router = new Hono<Env>();
  router.all('*', (c) =>
    c.json({ error: 'not_implemented', message: 'Realtime is not available on this server yet' }, 501),
  );
  return router;
}
