import { randomUUID } from 'node:crypto';
import { getConnInfo } from '@hono/node-server/conninfo';
import { Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { cors } from 'hono/cors';
import type { Env, Log } from './caller.ts';

export type Hall = {
  readonly log: Log;
  /** How many proxies in front of us write X-Forwarded-For; 0: the peer's own address counts. */
  readonly trustedProxies: number;
  readonly production: boolean;
  /** Called once per answer. */
  readonly observe: (door: string, method: string, status: number, seconds: number) => void;
};

const MEGABYTE = 1024 * 1024;
const API = /^\/(auth|rest|storage|realtime|functions)\/v1(\/|$)/;

/** What every request passes first: an id, its address, a log line, security headers, CORS, a limit on its size. */
export function createFrontHall(hall: Hall): Hono<Env> {
  const app = new Hono<Env>();
  app.use(introduce(hall));
  app.use(async (c, next) => {
    await next();
    // Data is never a page: what guards pages is spared where thousands of answers a second go out.
    const headers = API.test(c.req.path) ? DATA_HEADERS : PAGE_HEADERS;
    for (const [name, value] of headers) if (!c.res.headers.has(name)) c.res.headers.set(name, value);
    if (hall.production) c.res.headers.set('strict-transport-security', 'max-age=63072000; includeSubDomains');
  });
  for (const door of ['auth', 'rest', 'storage', 'realtime', 'functions']) {
    const permit = cors({
      origin: '*',
      allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      allowHeaders: ALLOWED,
      maxAge: 86_400,
    });
    app.use(`/${door}/v1/*`, (c, next) => {
      // What a door can do is asked with OPTIONS too; only with this header it is a browser asking whether it may.
      const asks = c.req.method === 'OPTIONS' && c.req.header('access-control-request-method') !== undefined;
      return asks ? permit(c, next) : next();
    });
  }
  app.use('/functions/v1/verify-id', sized(15 * MEGABYTE));
  // The storage door measures what comes itself: files are larger than any limit here, and never in memory as a whole.
  app.use(async (c, next) =>
    /^\/(storage\/v1\/|functions\/v1\/verify-id$)/.test(c.req.path) ? next() : SMALL(c, next),
  );
  return app;
}

function introduce(hall: Hall): MiddlewareHandler<Env> {
  return async (c, next) => {
    const started = performance.now();
    const requestId = randomUUID();
    c.set('requestId', requestId);
    c.set('ip', addressOf(peer(c), c.req.header('x-forwarded-for'), hall.trustedProxies));
    c.set('log', withRequest(hall.log, requestId));
    await next();
    c.res.headers.set('x-request-id', requestId);
    const door = API.exec(c.req.path)?.[1] ?? 'site';
    hall.observe(door, c.req.method, c.res.status, (performance.now() - started) / 1000);
    if (c.res.status >= 500)
      c.var.log.warn({ method: c.req.method, path: c.req.path, status: c.res.status }, 'answered with a failure');
  };
}

function peer(c: Parameters<typeof getConnInfo>[0]): string {
  try {
    return getConnInfo(c).remote.address ?? '127.0.0.1';
  } catch {
    return '127.0.0.1'; // handed in without a socket, as tests do
  }
}

/** The client's address after trusted proxies; an IPv6 address is cut to its /64, which is one customer. */
export function addressOf(peerAddress: string, forwarded: string | undefined, trustedProxies: number): string {
  const chain = (forwarded ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const claimed = trustedProxies > 0 ? chain.at(-trustedProxies) : undefined;
  const address = (claimed ?? peerAddress).replace(/^::ffff:/i, '');
  if (!address.includes(':')) return address.slice(0, 45);
  const [head = '', tail = ''] = address.split('::');
  const left = head.split(':').filter((part) => part !== '');
  const right = tail.split(':').filter((part) => part !== '');
  const full = [...left, ...Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0'), ...right];
  return `${full.slice(0, 4).join(':')}::`;
}

function withRequest(log: Log, requestId: string): Log {
  return {
    info: (fields, message) => log.info({ requestId, ...fields }, message),
    warn: (fields, message) => log.warn({ requestId, ...fields }, message),
    error: (fields, message) => log.error({ requestId, ...fields }, message),
  };
}

function sized(maxSize: number): MiddlewareHandler {
  const limit = bodyLimit({ maxSize, onError: (c) => tooLarge(c.req.path) });
  // What tells its size is judged by that, which Node holds it to, and a question has no body: neither is unpacked here, which would
  // cost more than many an answer.
  return (c, next) => {
    if (c.req.method === 'GET' || c.req.method === 'HEAD') return next();
    const told = c.req.header('transfer-encoding') === undefined ? c.req.header('content-length') : undefined;
    if (told === undefined) return limit(c, next);
    return Number(told) <= maxSize ? next() : Promise.resolve(tooLarge(c.req.path));
  };
}
const SMALL = sized(MEGABYTE);

/** A body that is too large, told in the words of the door it was meant for. */
function tooLarge(path: string): Response {
  const message = 'The request is too large';
  const body = path.startsWith('/functions/')
    ? { error: { code: 'too_large', message } }
    : path.startsWith('/rest/')
      ? { code: 'PGRST102', message, details: null, hint: null }
      : { code: 'request_too_large', message };
  // Only with this header does the client of the account door read the code.
  const headers = path.startsWith('/auth/') ? { 'x-supabase-api-version': '2024-01-01' } : {};
  return Response.json(body, { status: 413, headers });
}

const ALLOWED = [
  'authorization',
  'apikey',
  'content-type',
  'x-client-info',
  'x-supabase-api-version',
  'x-upsert',
  'x-metadata',
  'x-region',
  'prefer',
  'range',
  'accept-profile',
  'content-profile',
  'x-retry-count',
  'traceparent',
  'tracestate',
  'baggage',
  'cache-control',
  'content-encoding',
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-range',
  'tus-resumable',
  'upload-length',
  'upload-offset',
  'upload-metadata',
  'x-http-method-override',
  'x-request-id',
  'x-signature',
];
const EXPOSED = [
  'content-range',
  'x-relay-error',
  'x-request-id',
  'x-supabase-api-version',
  'x-total-count',
  'link',
  'retry-after',
  'location',
  'etag',
  'accept-ranges',
  'content-disposition',
  'x-transformations',
  'tus-resumable',
  'upload-length',
  'upload-offset',
  'upload-expires',
  'upload-metadata',
];

/** No script, style or connection but our own; text never becomes code (trusted types); the camera only for our own pages. */
const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; font-src 'self'; connect-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'; require-trusted-types-for 'script'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'permissions-policy': 'camera=(self), microphone=(), geolocation=(), payment=()',
  'cross-origin-opener-policy': 'same-origin',
  'x-frame-options': 'DENY',
};

const PAGE_HEADERS = Object.entries(SECURITY_HEADERS);
/** Set on the finished answer: a header set before there is one makes the framework copy the answer through a stream. */
const DATA_HEADERS = [
  ['access-control-allow-origin', '*'],
  ['access-control-expose-headers', EXPOSED.join(',')],
  ['x-content-type-options', 'nosniff'],
] as const;
