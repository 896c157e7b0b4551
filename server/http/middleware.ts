import { randomUUID } from 'node:crypto';
import { type Context, Hono, type Next } from 'hono';
import { cors } from 'hono/cors';
import { routePath } from 'hono/route';
import { getAddress, peerAddress } from './address.ts';
import { isComplete } from './answer.ts';
import {
  announcedLength,
  atMost,
  type BodyBudget,
  bodyRefusals,
  BodyRefused,
  bodyTimeLimit,
  isJson,
} from './bodies/bodies.ts';
import type { JsonBudget } from './bodies/json-budget.ts';
import type { ReadSender } from './bodies/json-sender.ts';
import type { Env, Log } from './caller.ts';
import { ALLOWED_REQUEST_HEADERS, apiHeaders, type HeaderOptions, pageHeaders } from './headers.ts';
import { getIncoming } from './incoming.ts';

export type MiddlewareOptions = HeaderOptions & {
  readonly log: Log;
  /** Whether each request is logged. */
  readonly accessLog: boolean;
  /** Number of proxies in front of this server that write X-Forwarded-For. With 0, the address of the connection is used. */
  readonly trustedProxies: number;
  /** Memory budget of request bodies, by sender address. */
  readonly bodies: BodyBudget;
  /** Limits the bytes of bodies per minute, by account or address. */
  readonly json: { readonly budget: JsonBudget; readonly readSender: ReadSender };
  /** Runs a request in a scope that makes its id available to all code that it calls. By default there is no scope. */
  readonly scope?: (request: ScopedRequest, work: () => Promise<void>) => Promise<void>;
  /** Called once per response. */
  readonly observe: (api: string, method: string, status: number, seconds: number) => void;
};

/** A request as its scope sees it. Call `end` after the request has run. */
type ScopedRequest = {
  readonly requestId: string;
  /** The caller as known before its token is verified, which is the address. */
  readonly caller: string;
  readonly api: string;
  readonly method: string;
  /** The trace that the caller sent (W3C Trace Context). */
  readonly traceparent: () => string | undefined;
  readonly end: () => { readonly route: string; readonly status: number };
};

const BODY_MAX = 1024 * 1024;
/** Maximum body of the auth API, in bytes. Its calls are small, but identity providers post larger forms. */
const AUTH_MAX = 64 * 1024;
const AUTH_FORM = /^\/auth\/v1\/(?:callback|sso\/saml\/acs)\/?$/;
/** Format of a request id that a proxy or a client may send. This server's own ids are UUIDs. */
const REQUEST_ID = /^[\w-]{8,64}$/;
/** Maximum number of characters of a page's path in the log. */
const PATH_MAX = 200;
const API = /^\/(auth|rest|storage|realtime|functions)\/v1(\/|$)/;
/** The API that sets `cache-control` itself. */
const OWN_CACHING = 'storage';
/** Paths that limit their bodies themselves: storage streams files of any size; functions and broadcasts have separate limits. */
const OWN_BODIES = /^\/(storage|functions|realtime)\/v1\//;
/** Files are streamed and not parsed, so they use no budget of bytes. The storage API parses only small JSON. */
const FILES = /^\/storage\/v1\//;

/** Creates the app with the steps that every request passes first: request id, address, log, security headers, CORS, body limits. */
export function createMiddleware(settings: MiddlewareOptions): Hono<Env> {
  const app = new Hono<Env>();
  const getHeaders = createHeaders(settings);
  const limit = limitBody(settings);
  const answerPreflight = cors({
    origin: '*',
    allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowHeaders: ALLOWED_REQUEST_HEADERS,
    maxAge: 86_400,
  });
  // This is one function instead of one per concern, because each function costs every request a promise and a turn of the router.
  app.use(async (c, next) => {
    const started = performance.now();
    const api = API.exec(c.req.path)?.[1] ?? 'site';
    const requestId = getRequestId(c);
    setContext(settings, c, requestId);
    const headers = getHeaders(api, requestId);
    c.set('headers', headers);
    const work = async (): Promise<void> => {
      // Preflights and refused bodies are answered here; the API answers all other requests.
      const answered = await (isPreflight(c, api)
        ? answerPreflight(c, next)
        : mayHaveBody(c)
          ? limit(c, next)
          : next());
      if (answered instanceof Response) c.res = answered;
      addHeaders(c, headers);
      settings.observe(api, c.req.method, c.res.status, (performance.now() - started) / 1000);
      logAnswer(settings, c, performance.now() - started);
    };
    await (settings.scope ? settings.scope(toScope(c, requestId, api), work) : work());
  });
  return app;
}

/** Returns the id that came with the request, so that the log lines of a proxy and of this server can be joined, or a new id. */
function getRequestId(c: Context<Env>): string {
  const given = c.req.header('x-request-id');
  return given !== undefined && REQUEST_ID.test(given) ? given : randomUUID();
}

function toScope(c: Context<Env>, requestId: string, api: string): ScopedRequest {
  return {
    requestId,
    caller: `ip:${c.var.ip}`,
    api,
    method: c.req.method,
    traceparent: () => c.req.header('traceparent'),
    end: () => ({ route: getRoute(c), status: c.res.status }),
  };
}

/** Returns the function that gives an answer's default headers by API. */
function createHeaders(settings: MiddlewareOptions): (api: string, requestId: string) => Record<string, string> {
  const site = Object.fromEntries(pageHeaders(settings));
  // Responses of the APIs omit the headers for pages. They depend on the caller, so no proxy or shared computer may cache them.
  const storage = Object.fromEntries(apiHeaders(settings));
  const api = { ...storage, 'cache-control': 'no-store' };
  return (name, requestId) => ({
    ...(name === 'site' ? site : name === OWN_CACHING ? storage : api),
    'x-request-id': requestId,
  });
}

/** OPTIONS is a CORS preflight only with this header. Otherwise the API itself answers it. */
function isPreflight(c: Context<Env>, api: string): boolean {
  return c.req.method === 'OPTIONS' && api !== 'site' && c.req.header('access-control-request-method') !== undefined;
}

function setContext({ log, trustedProxies }: MiddlewareOptions, c: Context<Env>, requestId: string): void {
  c.set('requestId', requestId);
  // Without a connection, as in tests, the request counts as local.
  c.set('ip', getAddress(peerAddress(c) ?? '127.0.0.1', c.req.header('x-forwarded-for'), trustedProxies));
  c.set('log', withRequest(log, requestId));
}

/** Adds the headers that a response lacks. A response from `answerWith` already has all of them. */
function addHeaders(c: Context<Env>, headers: Readonly<Record<string, string>>): void {
  if (isComplete(c)) return;
  for (const name in headers) if (!c.res.headers.has(name)) c.res.headers.set(name, headers[name] ?? '');
}

function logAnswer({ accessLog }: MiddlewareOptions, c: Context<Env>, ms: number): void {
  const { status } = c.res;
  const { method, path } = c.req;
  if (accessLog) c.get('log').info({ method, route: getRoute(c), status, ms: Math.round(ms * 10) / 10 }, 'request');
  if (status >= 500) c.get('log').warn({ method, path, status }, 'request failed with a server error');
}

/** Returns the pattern of the route that answered, such as `/rest/v1/:table`. A page has no pattern, so its path is returned. */
function getRoute(c: Context<Env>): string {
  const pattern = c.var.route ?? routePath(c);
  return pattern === '/*' ? c.req.path.slice(0, PATH_MAX) : pattern;
}

function withRequest(log: Log, requestId: string): Log {
  return {
    info: (fields, message) => log.info({ requestId, ...fields }, message),
    warn: (fields, message) => log.warn({ requestId, ...fields }, message),
    error: (fields, message) => log.error({ requestId, ...fields }, message),
  };
}

/** Whether a request can have a body. */
function mayHaveBody({ req: { method } }: Context<Env>): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/**
 * Refuses bodies that are too large, too slow or too many at once. It does not read them; the API does so once it has identified the
 * caller.
 */
function limitBody({
  bodies,
  json: { budget, readSender },
}: MiddlewareOptions): (c: Context<Env>, next: Next) => Promise<Response | undefined> {
  return async (c, next) => {
    const { path } = c.req;
    const { headers } = c.req.raw;
    const hasConnection = getIncoming(c.env) !== null;
    const length = announcedLength(headers);
    if (length === 0 || (length === null && hasConnection && !headers.has('transfer-encoding'))) return passOn(next);
    const max = path.startsWith('/auth/') && !AUTH_FORM.test(path) ? AUTH_MAX : BODY_MAX;
    const own = OWN_BODIES.test(path);
    if (!own && length !== null && length > max) return refusal(path, bodyRefusals.tooLarge());
    if (FILES.test(path) ? isJson(headers) && (length ?? 0) <= BODY_MAX : !own) {
      const wait = budget.take(await readSender(c.req.raw, c.var.ip), length ?? max);
      if (wait !== null) return refusal(path, bodyRefusals.tooManyBytes(wait));
    }
    if (own) return passOn(next);
    let release: () => void;
    try {
      release = bodies.reserve(c.var.ip, length ?? max);
    } catch (error) {
      if (error instanceof BodyRefused) return refusal(path, error);
      throw error;
    }
    try {
      return await receive(c, next, length, max);
    } finally {
      release();
    }
  };
}

/** Runs `next` and resolves to undefined, because Hono's `next` resolves to the context, which would look like a refusal. */
async function passOn(next: Next): Promise<undefined> {
  await next();
  return undefined;
}

/** Runs the API and refuses the body if it does not arrive in time. If `length` is null, the bytes are counted as they arrive. */
async function receive(c: Context<Env>, next: Next, length: number | null, max: number): Promise<Response | undefined> {
  const { path } = c.req;
  let tooLarge = false;
  const { raw } = c.req;
  if (length === null && raw.body !== null) {
    const body = raw.body.pipeThrough(
      atMost(max, () => {
        tooLarge = true;
      }),
    );
    c.req.raw = new Request(raw, { method: raw.method, body, duplex: 'half' });
  }
  let timer: NodeJS.Timeout | undefined;
  const slow = new Promise<'slow'>((resolve) => {
    timer = setTimeout(
      () => {
        // The time limit applies only to the body. Once it has arrived, the API may take longer.
        if (getIncoming(c.env)?.complete === false) resolve('slow');
      },
      bodyTimeLimit(length ?? max),
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

/** Returns the refusal of a body in the error format of the API that was called. */
function refusal(path: string, { status, code, message, retryAfter }: BodyRefused): Response {
  const body = toErrorBody(path, { status, code, message });
  const headers = {
    // supabase-js reads the error code of the auth API only with this header.
    ...(path.startsWith('/auth/') ? { 'x-supabase-api-version': '2024-01-01' } : {}),
    ...(retryAfter === null ? {} : { 'retry-after': String(retryAfter) }),
    ...(status === 408 ? { connection: 'close' } : {}),
  };
  return Response.json(body, { status, headers });
}

/** Returns an error in the format of the API that was called. */
function toErrorBody(
  path: string,
  { status, code, message }: Pick<BodyRefused, 'status' | 'code' | 'message'>,
): object {
  switch (API.exec(path)?.[1]) {
    case 'rest':
      return { code: status === 413 ? 'PGRST102' : code, message, details: null, hint: null };
    case 'storage':
      return { statusCode: String(status), error: code, message, code };
    default:
      return { code, message };
  }
}
