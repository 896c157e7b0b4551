import type { Context } from 'hono';
import { announcedLength, BodyRefused, bodyRefusals, readBytes } from '#server/http/bodies/bodies.ts';
import type { Env } from '#server/http/caller.ts';
import type { RealtimeContext } from '../channels/context.ts';
import { getSender } from '#server/http/bodies/json-sender.ts';
import { JsonRefused, parseJson } from '#server/http/bodies/json.ts';
import { getAccount } from '../core/accounts.ts';
import { GUEST_JSON, MEMBER_JSON } from '../core/frames.ts';
import { type Rate, RATE_SECONDS } from '../core/rate.ts';
import { isFault, type Member, readMember } from '../core/token.ts';

/** A call over HTTP by a verified caller. */
export type Call = {
  readonly member: Member;
  readonly rate: Rate;
  /** Reads the body. Throws `BodyRefused`. */
  readBody(): Promise<Buffer>;
};

const BODY_MAX = 8_000_000;
const SMALL_MAX = 1024 * 1024;

/**
 * Verifies the caller and its rate, lets `handle` answer, and adds the headers of the rate. The caller's token is the Bearer token or, if
 * there is none, the header `apikey`.
 */
export async function answerCall(
  context: RealtimeContext,
  c: Context<Env>,
  handle: (call: Call) => Promise<Response>,
): Promise<Response> {
  const member = await findCaller(context, c);
  if (!member) return c.json({ message: 'Unauthorized' }, 401);
  const { accountMessagesPerSecond } = context.settings;
  const now = context.clock().getTime();
  const account = getAccount(member);
  // Guests share one token, so they are distinguished by their addresses.
  const rate = context.accounts.getRate(account ?? `${member.role}:${c.var.ip}`, now);
  const exceeded = rate.used(now) >= accountMessagesPerSecond * RATE_SECONDS;
  const readBody = (): Promise<Buffer> => read(context, c, member);
  const call = { member, rate, readBody };
  const response = exceeded ? c.json({ message: 'Too many requests' }, 429) : await handle(call).catch(refusal);
  const rolling = Math.floor(rate.used(now) / RATE_SECONDS);
  response.headers.set('x-rate-rolling', String(rolling));
  response.headers.set('x-rate-limit', String(accountMessagesPerSecond));
  response.headers.set('x-rate-limit-remaining', String(accountMessagesPerSecond - rolling));
  return response;

  function refusal(error: unknown): Response {
    if (!(error instanceof BodyRefused)) throw error;
    const headers = error.retryAfter === null ? {} : { 'retry-after': String(error.retryAfter) };
    return c.json({ message: error.message }, error.status, headers);
  }
}

async function findCaller(context: RealtimeContext, c: Context<Env>): Promise<Member | null> {
  const bearer = /^Bearer\s+(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
  const token = bearer ?? c.req.header('apikey');
  if (token === undefined) return null;
  const member = await readMember(context.tokens, token, context.clock());
  if (isFault(member)) return null;
  const alive = member.sessionId === null || (await context.sessionAlive(member.sessionId));
  return alive ? member : null;
}

/** Reads the body after reserving memory for it. */
async function read(context: RealtimeContext, c: Context<Env>, member: Member): Promise<Buffer> {
  const length = announcedLength(c.req.raw.headers) ?? BODY_MAX;
  if (length > BODY_MAX) throw bodyRefusals.tooLarge();
  const { small, large, perMinute } = context.bodies;
  const wait = perMinute.take(getSender(member.claims, c.var.ip), length);
  if (wait !== null) throw bodyRefusals.tooManyBytes(wait);
  const release =
    length > SMALL_MAX ? large.reserve(getAccount(member) ?? c.var.ip, length) : small.reserve(c.var.ip, length);
  try {
    return await readBytes(c.req.raw, BODY_MAX);
  } finally {
    release();
  }
}

/** Parses JSON within the limits of frames. Returns undefined for anything else. */
export function readJson(bytes: Buffer, { role }: Pick<Member, 'role'>): unknown {
  try {
    return parseJson(bytes, role === 'anon' ? GUEST_JSON : MEMBER_JSON);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof JsonRefused) return undefined;
    throw error;
  }
}
