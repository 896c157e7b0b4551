import { Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';

/** Changes are not pushed yet: every address says so, in the shape the client reads. */
export function createRealtimeRouter(): Hono<Env> {
  const router = new Hono<Env>();
  router.all('*', (c) =>
    c.json({ error: 'not_implemented', message: 'Realtime is not available on this server yet' }, 501),
  );
  return router;
}
