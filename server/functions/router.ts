import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Context, Hono } from 'hono';
import * as calls from '#contracts/calls.ts';
import { REFUSAL_STATUS } from '#contracts/core/refusals.ts';
import { describeApi } from '#contracts/reference/describe-api.ts';
import { bodyRefusals, hasBody, isJson, readBytes } from '#server/http/bodies/bodies.ts';
import type { Caller, Env } from '#server/http/caller.ts';
import { BUSY_MESSAGE, classifyError } from '#server/http/classify-error.ts';
import { ProviderError } from '#server/providers/call.ts';
import { requireDeveloper, requirePermission } from '#server/operations/staff/require-permission.ts';
import { Refusal } from '#server/operations/core/refusal.ts';
import type { Services } from '#server/operations/core/services.ts';
import { readEvent, readJson, signedIn, take } from './requests.ts';
import type { FunctionRequests, ServerFunction } from './function.ts';
import { json } from './responses.ts';

type FunctionsContext = FunctionRequests & {
  readonly services: Services;
  readonly functions: readonly ServerFunction[];
  /** Parses large bodies one at a time. */
  readonly parseLarge: <T>(task: () => Promise<T>) => Promise<T>;
  /** APIs that have their own paths below a name, such as protocols defined by others. */
  readonly protocols?: ReadonlyMap<string, Hono<Env>>;
};

const SMALL_MAX = 1024 * 1024;
const BODY_MAX = 64 * 1024;

/**
 * Routes `/functions/v1/<name>`. Every answer that is not 2xx is `{"error": {"code", "message", …details}}`. The answer to an invalid token
 * also has the header `x-relay-error`, so that the client can distinguish it from a refusal by the function. A call is authorised and
 * counted before its body is read.
 */
export function createFunctionsRouter(context: Omit<FunctionsContext, 'parseLarge'>): Hono<Env> {
  const router = new Hono<Env>();
  const functions = new Map(context.functions.map((serverFunction) => [serverFunction.name, serverFunction]));
  const callContext: FunctionsContext = { ...context, parseLarge: createQueue() };

  for (const [name, service] of context.protocols ?? []) router.route(`/${name}`, service);
  router.get('/openapi.json', () => describeContracts());
  router.all('/:name', async (c) => {
    const name = c.req.param('name');
    const found = functions.get(name);
    if (!found) return errorResponse(404, 'not_found', `There is no function called ${name.slice(0, 60)}`);
    c.set('route', `/functions/v1/${name}`);
    const { methods } = found;
    if (!methods.some((method) => method === c.req.method)) {
      const allow = methods.join(', ');
      return errorResponse(405, 'method_not_allowed', `Use ${methods.join(' or ')}.`, {}, { allow });
    }
    try {
      return await callFunction(callContext, c, found);
    } catch (error) {
      if (found.refuse && error instanceof Refusal) return found.refuse(error);
      throw error;
    }
  });
  router.all('*', () => errorResponse(404, 'not_found', 'There is no such function.'));
  router.onError((error, c) => answerError(error, c));
  return router;
}

let description: string | null = null;

/** Returns the OpenAPI document of all calls. It does not change while the program runs. */
function describeContracts(): Response {
  description ??= JSON.stringify(describeApi(Object.values(calls)));
  return new Response(description, {
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'public, max-age=300' },
  });
}

async function callFunction(context: FunctionsContext, c: Context<Env>, found: ServerFunction): Promise<Response> {
  const request = c.req.raw;
  const caller = {
    ...(found.callers === 'provider' || found.callers === 'link' ? GUEST : await context.readCaller(request, c.var.ip)),
    ip: c.var.ip,
  };
  await authorise(context, found, caller);
  const call = { request, url: new URL(request.url), caller, log: c.var.log, checked: context.checked };
  if (request.method === 'GET') {
    await countCall(context, found, 'GET', caller);
    return found.handle({ ...call, body: {} });
  }
  const { value: body, release } = await readBody(context, found, request, caller);
  try {
    return await found.handle({ ...call, body });
  } finally {
    release();
  }
}

async function authorise({ services }: FunctionsContext, found: ServerFunction, caller: Caller): Promise<void> {
  if (found.callers === 'signed-in') signedIn(caller);
  if (found.callers === 'staff') await requirePermission(services, caller, found.permission);
  if (found.callers === 'developers') await requireDeveloper(services, caller);
}

async function countCall(
  { limits }: FunctionsContext,
  { callers, limit }: ServerFunction,
  method: 'GET' | 'POST',
  caller: Caller,
): Promise<void> {
  if (limit === null) return;
  const key = callers === 'everyone' || callers === 'link' ? `ip:${caller.ip}` : `user:${caller.userId ?? caller.role}`;
  await take(limits, 'max' in limit ? limit : limit[method], key);
}

/** Reserves memory for the body, then counts the call, then reads the body. A call refused for lack of memory is not counted. */
async function readBody(
  context: FunctionsContext,
  found: ServerFunction,
  request: Request,
  caller: Caller,
): Promise<{ value: unknown; release: () => void }> {
  const max = found.bodyMax ?? BODY_MAX;
  if (found.callers !== 'provider' && hasBody(request.headers) && !isJson(request.headers))
    throw bodyRefusals.notJson();
  const length = Number(request.headers.get('content-length') ?? max);
  if (length > max) throw bodyRefusals.tooLarge();
  if (hasBody(request.headers)) takeBytes(context, found, caller, length);
  const large = length > SMALL_MAX;
  const release = large
    ? context.bodies.large.reserve(`user:${caller.userId ?? caller.role}`, length)
    : context.bodies.small.reserve(caller.ip, length);
  try {
    await countCall(context, found, 'POST', caller);
    const bytes = await readBytes(request, max);
    const read = async (): Promise<unknown> => (found.callers === 'provider' ? readEvent(bytes) : readJson(bytes));
    return { value: await (large ? context.parseLarge(read) : read()), release };
  } catch (error) {
    release();
    throw error;
  }
}

/** Charges the bytes of a body to the sender's budget. Signed events of providers are exempt, because they are parsed only after verification. */
function takeBytes({ bodies }: FunctionsContext, { callers }: ServerFunction, caller: Caller, bytes: number): void {
  if (callers === 'provider' || caller.role === 'service_role') return;
  const sender = caller.userId === null ? { address: caller.ip } : { account: caller.userId };
  const wait = bodies.perMinute.take(sender, bytes);
  if (wait !== null) throw bodyRefusals.tooManyBytes(wait, 'too_many_requests');
}

/**
 * Creates a queue that runs tasks one after another and yields to the event loop in between, because each task may block it for tens of
 * milliseconds.
 */
function createQueue(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const done = last.then(async () => {
      await nextTurn();
      return task();
    });
    last = done.catch(() => undefined);
    return done;
  };
}

const GUEST = {
  role: 'anon',
  userId: null,
  sessionId: null,
  claims: {},
  claimsJson: '{"role":"anon"}',
  ip: '',
} as const;

function answerError(error: unknown, c: Context<Env>): Response {
  const found = classifyError(error);
  switch (found.kind) {
    case 'token':
      return errorResponse(401, found.error.code, found.error.message, {}, { 'x-relay-error': 'true' });
    case 'suspended': {
      const { message, retryAfter } = found;
      return errorResponse(429, 'too_many_requests', message, { retryAfter }, afterSeconds(retryAfter));
    }
    case 'busy': {
      const { retryAfter } = found;
      return errorResponse(503, 'server_busy', BUSY_MESSAGE, { retryAfter }, afterSeconds(retryAfter));
    }
    case 'body': {
      const { status, code, message, retryAfter } = found.error;
      const headers = status === 408 ? { connection: 'close' } : afterSeconds(retryAfter);
      return errorResponse(status, code, message, retryAfter === null ? {} : { retryAfter }, headers);
    }
    case 'other':
      return answerOther(error, c);
  }
}

/** Answers a refusal by an operation, a failed call to a provider, or an unexpected error. */
function answerOther(error: unknown, c: Context<Env>): Response {
  if (error instanceof Refusal) {
    const seconds = error.details['retryAfter'];
    const headers = afterSeconds(typeof seconds === 'number' ? seconds : null);
    return errorResponse(REFUSAL_STATUS[error.code], error.code, error.message, error.details, headers);
  }
  if (error instanceof ProviderError) {
    c.var.log.warn(
      { path: c.req.path, provider: error.provider, reason: error.reason },
      'a provider did not answer; the caller was asked to try again',
    );
    const message = 'We can’t reach a service we depend on right now. Please try again in a moment.';
    return errorResponse(503, 'provider_unavailable', message, {}, { 'retry-after': '5' });
  }
  c.var.log.error({ err: error, path: c.req.path }, 'a function failed');
  return errorResponse(500, 'internal', `Something went wrong on our side. Request ${c.var.requestId}.`);
}

const afterSeconds = (seconds: number | null): Record<string, string> =>
  seconds === null ? {} : { 'retry-after': String(seconds) };

function errorResponse(
  status: number,
  code: string,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
  headers: Record<string, string> = {},
): Response {
  const answer = json({ error: { ...details, code, message } }, status);
  for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
  return answer;
}
