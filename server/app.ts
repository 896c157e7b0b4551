import type { Hono } from 'hono';
import type { Env } from './http/caller.ts';
import { createMiddleware, type MiddlewareSettings } from './http/middleware.ts';
import { mayReadMetrics } from './http/metrics-access.ts';

/** The house from the street: the five doors, the site, and the two windows a watchman looks through. */
export function createApp(parts: {
  settings: MiddlewareSettings;
  auth: Hono<Env>;
  rest: Hono<Env>;
  storage: Hono<Env>;
  realtime: Hono<Env>;
  functions: Hono<Env>;
  site: Hono<Env>;
  ready: () => Promise<boolean>;
  metrics: () => Promise<string>;
  /** Opens /metrics to other machines; null: only this machine may read them. */
  metricsToken: string | null;
}): Hono<Env> {
  const app = createMiddleware(parts.settings);
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  app.get('/readyz', async (c) =>
    (await parts.ready()) ? c.json({ status: 'ready' }) : c.json({ status: 'not ready' }, 503),
  );
  app.get('/metrics', async (c) => {
    if (!mayReadMetrics(c, parts.metricsToken)) {
      const message = 'The metrics are read on this machine, or with METRICS_TOKEN as bearer.';
      return c.json({ code: 'unauthorized', message }, 401, {
        'www-authenticate': 'Bearer',
        'cache-control': 'no-store',
      });
    }
    const type = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' };
    return c.text(await parts.metrics(), 200, type);
  });
  app.route('/auth/v1', parts.auth);
  app.route('/rest/v1', parts.rest);
  app.route('/storage/v1', parts.storage);
  app.route('/realtime/v1', parts.realtime);
  app.route('/functions/v1', parts.functions);
  app.route('/', parts.site);
  app.onError((error, c) => {
    c.var.log.error({ err: error, path: c.req.path }, 'a request failed');
    return c.json(
      { code: 'unexpected_failure', message: `Something went wrong on our side. Request ${c.var.requestId}.` },
      500,
    );
  });
  return app;
}
