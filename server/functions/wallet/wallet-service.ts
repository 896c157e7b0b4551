import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { REFUSAL_STATUS } from '#contracts/core/refusals.ts';
import { readBytes } from '#server/http/bodies/bodies.ts';
import type { Env, Log } from '#server/http/caller.ts';
import type { Limit } from '#server/http/limits.ts';
import { classifyError } from '#server/http/classify-error.ts';
import { Refusal } from '#server/operations/core/refusal.ts';
import {
  addPhone,
  listChanged,
  type PassRequest,
  readNewPass,
  removePhone,
} from '#server/operations/wallet/pass-phones.ts';
import { parse, readJson, take } from '../requests.ts';
import { fileResponse } from '../responses.ts';
import type { FunctionRequests } from '../function.ts';
import type { Services } from '#server/operations/core/services.ts';

const LIMIT: Limit = { name: 'wallet-service', max: 120, seconds: 60 };
const LOG_LIMIT: Limit = { name: 'wallet-log', max: 10, seconds: 60 };
const BODY_MAX = 16 * 1024;

const deviceField = z.string().regex(/^[\w.-]{8,128}$/, 'Not a device.');
const pushTokenField = z
  .string()
  .regex(/^[\da-f]{32,200}$/i, 'Not a push token.')
  .transform((text) => text.toLowerCase());
const registrationSchema = z.object({ pushToken: pushTokenField });
const tagField = z.string().regex(/^\d{1,12}$/, 'Not a tag of ours.');
const logSchema = z.object({ logs: z.array(z.string()).max(100) });

/**
 * The web service from which Apple devices request newer passes (developer.apple.com/documentation/walletpasses, "Adding a Web Service to
 * Update Passes"). Devices authenticate with the token in their pass, or with their own number. Answers have the statuses that Apple
 * describes, and a body only where the device reads it.
 */
export function walletService(services: Services, requests: FunctionRequests): Hono<Env> {
  const router = new Hono<Env>();
  const registration = '/v1/devices/:device/registrations/:type/:serial';

  router.use(async (c, next) => {
    // URLs of this service contain the number of a phone, so they are not logged.
    c.set('log', withoutPath(c.var.log));
    await take(requests.limits, c.req.path.endsWith('/log') ? LOG_LIMIT : LIMIT, `ip:${c.var.ip}`);
    await next();
  });
  router.post(registration, async (c) => {
    const device = parse(deviceField, c.req.param('device'));
    const { pushToken } = parse(registrationSchema, await readBody(requests, c));
    const added = await addPhone(services, { ...getPassRequest(c), device, pushToken });
    return c.body(null, added ? 201 : 200);
  });
  router.delete(registration, async (c) => {
    await removePhone(services, { ...getPassRequest(c), device: parse(deviceField, c.req.param('device')) });
    return c.body(null, 200);
  });
  router.get('/v1/devices/:device/registrations/:type', async (c) => {
    const tag = c.req.query('passesUpdatedSince');
    const changed = await listChanged(services, {
      typeId: c.req.param('type'),
      device: parse(deviceField, c.req.param('device')),
      since: tag === undefined ? null : Number(parse(tagField, tag)),
    });
    if (changed === null) return c.body(null, 204);
    return c.json({ serialNumbers: changed.serials, lastUpdated: changed.tag });
  });
  router.get('/v1/passes/:type/:serial', async (c) => {
    const { file, changedAt } = await readNewPass(services, { ...getPassRequest(c), since: getSince(c) });
    const headers = { 'last-modified': changedAt.toUTCString(), 'cache-control': 'no-store' };
    if (file === null) return c.body(null, 304, headers);
    const answer = fileResponse(new Uint8Array(file), 'application/vnd.apple.pkpass', 'pass.pkpass');
    for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
    return answer;
  });
  router.post('/v1/log', async (c) => {
    const { logs } = parse(logSchema, await readBody(requests, c));
    // The messages are not logged, because they name the phone and its passes.
    c.var.log.warn({ messages: logs.length }, 'a phone reported faults of a pass');
    return c.body(null, 200);
  });
  router.all('*', (c) => c.body(null, 404));
  router.onError((error, c) => answerError(error, c));
  return router;
}

/** Returns the pass of a request, with the token that the phone sent. */
function getPassRequest(c: Context<Env>): PassRequest {
  const token = /^ApplePass ([\w.-]{1,300})$/.exec(c.req.header('authorization') ?? '')?.[1] ?? '';
  return { typeId: c.req.param('type') ?? '', serial: (c.req.param('serial') ?? '').toLowerCase(), token };
}

/** Returns the version that the phone has; null if the header is missing or cannot be parsed. */
function getSince(c: Context<Env>): Date | null {
  const since = new Date(c.req.header('if-modified-since') ?? '');
  return Number.isNaN(since.getTime()) ? null : since;
}

async function readBody({ bodies }: FunctionRequests, c: Context<Env>): Promise<unknown> {
  const release = bodies.small.reserve(c.var.ip, BODY_MAX);
  try {
    const bytes = await readBytes(c.req.raw, BODY_MAX);
    return readJson(bytes);
  } finally {
    release();
  }
}

/** Returns a log that omits the URLs of requests. */
function withoutPath(log: Log): Log {
  const clean = ({ path: _path, ...fields }: Record<string, unknown>) => ({ ...fields, api: 'wallet-service' });
  return {
    info: (fields, message) => log.info(clean(fields), message),
    warn: (fields, message) => log.warn(clean(fields), message),
    error: (fields, message) => log.error(clean(fields), message),
  };
}

/** Converts an error to a status. Phones retry after 429 and 5xx. */
function answerError(error: unknown, c: Context<Env>): Response {
  const later = (status: 429 | 503, seconds: number): Response =>
    c.body(null, status, { 'retry-after': String(seconds) });
  const found = classifyError(error);
  if (found.kind === 'busy') return later(503, found.retryAfter);
  if (found.kind === 'suspended') return later(429, found.retryAfter);
  if (found.kind === 'body') return c.body(null, found.error.status);
  if (error instanceof Refusal) {
    const seconds = error.details['retryAfter'];
    if (error.code === 'too_many_requests') return later(429, typeof seconds === 'number' ? seconds : 60);
    // The certificate has expired, so the phone should try again once it has been replaced.
    return error.code === 'not_configured' ? later(503, 3_600) : c.body(null, REFUSAL_STATUS[error.code]);
  }
  c.var.log.error({ err: error }, 'the wallet service failed');
  return c.body(null, 500);
}
