import { randomUUID } from 'node:crypto';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { routePath } from 'hono/route';
import { addressOf, peerAddress } from './address.ts';
import { announcedLength, atMost, type BodyBudget, bodyRefusals, BodyRefused, bodyTimeLimit } from './bodies.ts';
import type { Env, Log } from './caller.ts';
import { ALLOWED_REQUEST_HEADERS, apiHeaders, type HeaderSettings, pageHeaders } from './headers.ts';

export type MiddlewareSettings = HeaderSettings & {
  readonly log: Log;
  /** Whether each request gets a line in the log. */
  readonly accessLog: boolean;
  /** How many proxies in front of us write X-Forwarded-For; 0: use the address of the connection. */
  readonly trustedProxies: number;
  /** Memory budget of request bodies, by sender address. */
  readonly bodies: BodyBudget;
  /** Called once per response. */
  readonly observe: (api: string, method: string, status: number, seconds: number) => void;
};

const BODY_MAX = 1024 * 1024;
/** Characters of a page's path in the log. */
const PATH_MAX = 200;
const API = /^\/(auth|rest|storage|realtime|functions)\/v1(\/|$)/;
/** APIs that set `cache-control` themselves. */
const OWN_CACHING = /^\/storage\/v1(\/|$)/;
/** Paths that limit their bodies themselves: storage streams files of any size, and each function has its own limit. */
const OWN_BODIES = /^\/(storage|functions)\/v1\//;

/** Creates the app with what every request passes first: request id, address, log, security headers, CORS, body limits. */
export function createMiddleware(settings: MiddlewareSettings): Hono<Env> {
  const app = new Hono<Env>();
  const [forPages, forApis] = [pageHeaders(settings), apiHeaders(settings)];
  app.use(addRequestContext(settings));
  app.use(async (c, next) => {
    await next();
    // API answers skip the page-only headers: measured 4 % of a request.
    const isApi = API.test(c.req.path);
    for (const [name, value] of isApi ? forApis : forPages)
      if (!c.res.headers.has(name)) c.res.headers.set(name, value);
    // Answers depend on the caller, so no proxy or shared computer may cache them.
    if (isApi && !OWN_CACHING.test(c.req.path) && !c.res.headers.has('cache-control'))
      c.res.headers.set('cache-control', 'no-store');
  });
  for (const api of ['auth', 'rest', 'storage', 'realtime', 'functions']) {
    const answerPreflight = cors({
      origin: '*',
      allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      allowHeaders: ALLOWED_REQUEST_HEADERS,
      maxAge: 86_400,
    });
    app.use(`/${api}/v1/*`, (c, next) => {
      // OPTIONS is a CORS preflight only with this header. Otherwise the API itself answers it.
      const isPreflight = c.req.method === 'OPTIONS' && c.req.header('access-control-request-method') !== undefined;
      return isPreflight ? answerPreflight(c, next) : next();
    });
  }
  app.use(limitBody(settings.bodies));
  return app;
}

function addRequestContext(settings: MiddlewareSettings): MiddlewareHandler<Env> {
  return async (c, next) => {
    const started = performance.now();
    const requestId = randomUUID();
    c.set('requestId', requestId);
    // Without a connection, as in tests, the request counts as local.
    c.set('ip', addressOf(peerAddress(c) ?? '127.0.0.1', c.req.header('x-forwarded-for'), settings.trustedProxies));
    const log = withRequest(settings.log, requestId);
    c.set('log', log);
    await next();
    c.res.headers.set('x-request-id', requestId);
    const api = API.exec(c.req.path)?.[1] ?? 'site';
    const ms = performance.now() - started;
    settings.observe(api, c.req.method, c.res.status, ms / 1000);
    const { status } = c.res;
    if (settings.accessLog)
      log.info({ method: c.req.method, route: routeOf(c), status, ms: Math.round(ms * 10) / 10 }, 'request');
    if (status >= 500)
      c.var.log.warn({ method: c.req.method, path: c.req.path, status }, 'request failed with a server error');
  };
}

/** The pattern of the route that answered, such as `/rest/v1/:table`; a page has no pattern and is logged by its path. */
function routeOf(c: Context<Env>): string {
  const pattern = routePath(c);
  return pattern === '/*' ? c.req.path.slice(0, PATH_MAX) : pattern;
}

function withRequest(log: Log, requestId: string): Log {
  return {
    info: (fields, message) => log.info({ requestId, ...fields }, message),
    warn: (fields, message) => log.warn({ requestId, ...fields }, message),
    error: (fields, message) => log.error({ requestId, ...fields }, message),
  };
}

/** Refuses bodies that are too large, too slow or too many at once. It reads none: the API reads, once it knows the caller. */
function limitBody(budget: BodyBudget): MiddlewareHandler<Env> {
  return async (c, next) => {
    const { method, path } = c.req;
    if (method === 'GET' || method === 'HEAD' || OWN_BODIES.test(path)) return next();
    const { headers } = c.req.raw;
    const hasConnection = incomingOf(c.env) !== null;
    const length = announcedLength(headers);
    if (length === 0 || (length === null && hasConnection && !headers.has('transfer-encoding'))) return next();
    if (length !== null && length > BODY_MAX) return refusal(path, bodyRefusals.tooLarge());
    let release: () => void;
    try {
      release = budget.reserve(c.var.ip, length ?? BODY_MAX);
    } catch (error) {
      if (error instanceof BodyRefused) return refusal(path, error);
      throw error;
    }
    try {
      return await receive(c, next, length);
    } finally {
      release();
    }
  };
}

/** Runs the API while the body arrives in time. `length` null: counts the bytes as they come. */
async function receive(
  c: Parameters<MiddlewareHandler<Env>>[0],
  next: () => Promise<void>,
  length: number | null,
): Promise<Response | undefined> {
  const { path } = c.req;
  let tooLarge = false;
  const { raw } = c.req;
  if (length === null && raw.body !== null) {
    const body = raw.body.pipeThrough(
      atMost(BODY_MAX, () => {
        tooLarge = true;
      }),
    );
    c.req.raw = new Request(raw, { method: raw.method, body, duplex: 'half' });
  }
  let timer: NodeJS.Timeout | undefined;
  const slow = new Promise<'slow'>((resolve) => {
    timer = setTimeout(
      () => {
        // The limit is for the body only. Once it has arrived, the API may take longer.
        if (incomingOf(c.env)?.complete === false) resolve('slow');
      },
      bodyTimeLimit(length ?? BODY_MAX),
    );
  });
  try {
    const answered = next();
    if ((await Promise.race([answered, slow])) === 'slow') {
      // The API fails when the connection ends. That error is expected, so it is not logged.
      c.set('log', SILENT);
      answered.catch(() => undefined);
      return refusal(path, bodyRefusals.tooSlow());
    }
    if (tooLarge) c.res = refusal(path, bodyRefusals.tooLarge());
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

const SILENT: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Node's request object; null without a connection, as in tests. */
function incomingOf(env: unknown): { readonly complete: boolean } | null {
  if (env === null || typeof env !== 'object' || !('incoming' in env)) return null;
  const { incoming } = env;
  if (incoming === null || typeof incoming !== 'object' || !('complete' in incoming)) return null;
  return typeof incoming.complete === 'boolean' ? { complete: incoming.complete } : null;
}

/** Shapes the refusal of a body as an error of the API that was called. */
function refusal(path: string, { status, code, message, retryAfter }: BodyRefused): Response {
  const body = path.startsWith('/rest/')
    ? { code: status === 413 ? 'PGRST102' : code, message, details: null, hint: null }
    : { code, message };
  const headers = {
    // supabase-js reads the error code of the auth API only with this header.
    ...(path.startsWith('/auth/') ? { 'x-supabase-api-version': '2024-01-01' } : {}),
    ...(retryAfter === null ? {} : { 'retry-after': String(retryAfter) }),
    ...(status === 408 ? { connection: 'close' } : {}),
  };
  return Response.json(body, { status, headers });
}
