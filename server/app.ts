import type { Hono } from 'hono';
import type { Env } from './http/caller.ts';
import { createMiddleware, type MiddlewareOptions } from './http/middleware.ts';
import type { Readiness } from './http/health/readiness.ts';
import type { PartState } from './http/health/status.ts';
import { mayReadMetrics } from './http/metrics/metrics-access.ts';
import { BUSY_MESSAGE, classifyError } from './http/classify-error.ts';

/** Mounts the five APIs, the site, health, readiness and metrics. */
export function createApp(context: {
  settings: MiddlewareOptions;
  auth: Hono<Env>;
  rest: Hono<Env>;
  storage: Hono<Env>;
  realtime: Hono<Env>;
  functions: Hono<Env>;
  policyReports: Hono<Env>;
  site: Hono<Env>;
  ready: () => Promise<Readiness>;
  status: () => Promise<readonly PartState[]>;
  metrics: () => Promise<string>;
  /** Bearer that opens /metrics to other machines. If it is null, only this machine may read the metrics. */
  metricsToken: string | null;
}): Hono<Env> {
  const app = createMiddleware(context.settings);
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  app.get('/readyz', async (c) => {
    const { ready, checks } = await context.ready();
    return c.json({ status: ready ? 'ready' : 'not ready', checks }, ready ? 200 : 503, {
      'cache-control': 'no-store',
    });
  });
  app.get('/status.json', async (c) =>
    c.json({ parts: await context.status() }, 200, { 'cache-control': 'public, max-age=10' }),
  );
  app.get('/metrics', async (c) => {
    if (!mayReadMetrics(c, context.metricsToken)) {
      const message = 'Read the metrics from this machine, or send METRICS_TOKEN as bearer.';
      return c.json({ code: 'unauthorized', message }, 401, {
        'www-authenticate': 'Bearer',
        'cache-control': 'no-store',
      });
    }
    const type = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' };
    return c.text(await context.metrics(), 200, type);
  });
  app.route('/auth/v1', context.auth);
  app.route('/rest/v1', context.rest);
  app.route('/storage/v1', context.storage);
  app.route('/realtime/v1', context.realtime);
  app.route('/functions/v1', context.functions);
  app.route('/', context.policyReports);
  app.route('/', context.site);
  app.onError((error, c) => {
    const found = classifyError(error);
    if (found.kind === 'busy')
      return c.json({ code: 'server_busy', message: BUSY_MESSAGE }, 503, { 'retry-after': String(found.retryAfter) });
    c.var.log.error({ err: error, path: c.req.path }, 'a request failed');
    return c.json(
      { code: 'unexpected_failure', message: `Something went wrong on our side. Request ${c.var.requestId}.` },
      500,
    );
  });
  return app;
}
