import type { z } from 'zod';
import { findHidden, NOT_PLAIN } from '#rules/people.ts';
import { checkJson, JsonRefused, parseJson } from '#server/http/bodies/json.ts';
import type { Caller } from '#server/http/caller.ts';
import type { Limit, TakeLimit } from '#server/http/limits.ts';
import { Refusal } from '#server/operations/core/refusal.ts';

const JSON_LIMITS = { members: 5_000, depth: 32 };
/** Events of providers can contain many members, so their limits are higher. */
const EVENT_LIMITS = { members: 20_000, depth: 32 };

/** A longer body is not checked for being blank: white space of that length is not accepted as JSON. */
const BLANK_MAX = 1_024;

/** Parses JSON. White space alone is parsed as `{}`. Throws `Refusal('invalid_request')`. */
export function readJson(bytes: Buffer): unknown {
  if (bytes.length < BLANK_MAX && bytes.toString('latin1').trim() === '') return {};
  try {
    return parseJson(bytes, JSON_LIMITS);
  } catch (error) {
    throw jsonRefusal(error);
  }
}

/**
 * Checks that a provider's event is JSON within the limits, and returns its text. It is parsed later, once its signature has been verified.
 * Throws `Refusal('invalid_request')`.
 */
export function readEvent(bytes: Buffer): string {
  try {
    checkJson(bytes, EVENT_LIMITS);
  } catch (error) {
    throw jsonRefusal(error);
  }
  return bytes.toString('utf8');
}

function jsonRefusal(error: unknown): unknown {
  if (error instanceof JsonRefused) return new Refusal('invalid_request', `${error.message}.`);
  return error instanceof SyntaxError ? new Refusal('invalid_request', 'The body is not JSON.') : error;
}

/**
 * Parses a body with its schema. Throws `Refusal('invalid_request')` that names the first invalid field, or the first field with invisible
 * characters. With `texts: 'any'` all characters are allowed.
 */
export function parse<S extends z.ZodType>(
  schema: S,
  body: unknown,
  texts: 'visible' | 'any' = 'visible',
): z.output<S> {
  const parsed = schema.safeParse(body);
  if (parsed.success) {
    const hidden = texts === 'any' ? undefined : findHidden(parsed.data)?.join('.');
    if (hidden === undefined) return parsed.data;
    throw new Refusal('invalid_request', hidden === '' ? NOT_PLAIN : `${hidden}: ${NOT_PLAIN}`, { field: hidden });
  }
  const issue = parsed.error.issues[0];
  const field = issue?.path.join('.') ?? '';
  throw new Refusal(
    'invalid_request',
    issue ? `${field === '' ? 'body' : field}: ${issue.message}` : 'The request is not valid.',
    field === '' ? {} : { field },
  );
}

/** Returns the signed-in account. Throws `Refusal` for guests and the service key. */
export function signedIn(caller: Caller): { userId: string; email: string } {
  if (caller.role !== 'authenticated' || caller.userId === null)
    throw new Refusal('not_signed_in', 'Please sign in first.');
  const email = caller.claims['email'];
  return { userId: caller.userId, email: typeof email === 'string' ? email : '' };
}

/** Returns the actor for the audit log: the account, or the nil UUID for the service key. */
export function getActor(caller: Caller): string {
  return caller.userId ?? '00000000-0000-0000-0000-000000000000';
}

/** Counts a call against a limit. Throws `Refusal('too_many_requests')` with the seconds to wait. */
export async function take(limits: TakeLimit, limit: Limit, key: string): Promise<void> {
  const wait = await limits(limit, key);
  if (wait !== null)
    throw new Refusal('too_many_requests', 'Too many requests. Please try again in a moment.', { retryAfter: wait });
}
