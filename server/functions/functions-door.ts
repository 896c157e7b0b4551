import { Hono } from 'hono';
import { type Env, type ReadCaller, TokenRefused } from '#server/http/caller.ts';
import { CallerSuspended } from '#server/http/suspension.ts';
import { ProviderError } from '#server/providers/call.ts';
import { Refusal } from '#server/operations/refusal.ts';
import { json } from './answers.ts';
import type { ServerFunction } from './function.ts';
import { statuses } from './statuses.ts';

/**
 * The fifth door: one address per function. Every answer that is not 2xx is `{"error": {"code", "message", …details}}`;
 * a bad token is marked with `x-relay-error`, so that the client tells it from the function's own no (wire.md 6).
 */
export function createFunctionsDoor(parts: {
  readCaller: ReadCaller;
  functions: ReadonlyMap<string, ServerFunction>;
}): Hono<Env> {
  const door = new Hono<Env>();

  door.all('/:name', async (c) => {
    const name = c.req.param('name');
    const found = parts.functions.get(name);
    if (!found) return fail(404, 'not_found', `There is no function called ${name.slice(0, 60)}`);
    const request = c.req.raw;
    if (!found.methods.some((method) => method === request.method)) {
      return fail(
        405,
        'method_not_allowed',
        `Use ${found.methods.join(' or ')}.`,
        {},
        { allow: found.methods.join(', ') },
      );
    }
    const caller = found.open === true ? GUEST : await parts.readCaller(request, c.var.ip);
    const body = found.raw === true || request.method === 'GET' ? {} : await readJson(request);
    return found.handle({
      request,
      url: new URL(request.url),
      caller: { ...caller, ip: c.var.ip },
      body,
      log: c.var.log,
    });
  });

  door.all('*', () => fail(404, 'not_found', 'There is no such function.'));
  door.onError((error, c) => {
    if (error instanceof TokenRefused) {
      return fail(401, error.code, error.message, {}, { 'x-relay-error': 'true' });
    }
    if (error instanceof CallerSuspended) {
      const { retryAfter } = error;
      return fail(429, 'too_many_requests', error.message, { retryAfter }, { 'retry-after': String(retryAfter) });
    }
    if (error instanceof Refusal) {
      const wait = error.details['retryAfter'];
      return fail(
        statuses[error.code],
        error.code,
        error.message,
        error.details,
        typeof wait === 'number' ? { 'retry-after': String(wait) } : {},
      );
    }
    if (error instanceof ProviderError) {
      c.var.log.warn(
        { path: c.req.path, provider: error.provider, reason: error.reason },
        'an outside system did not answer',
      );
      const message = 'A service we depend on cannot be reached right now. Please try again in a moment.';
      return fail(503, 'provider_unavailable', message, {}, { 'retry-after': '5' });
    }
    c.var.log.error({ err: error, path: c.req.path }, 'a function failed');
    return fail(500, 'internal', `Something went wrong on our side. Request ${c.var.requestId}.`);
  });
  return door;
}

const GUEST = {
  role: 'anon',
  userId: null,
  sessionId: null,
  claims: {},
  claimsJson: '{"role":"anon"}',
  ip: '',
} as const;

function fail(
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

async function readJson(request: Request): Promise<unknown> {
  const text = await request.text();
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal('invalid_request', 'The body is not JSON.');
  }
}
