import { CallerStopped, DatabaseError } from '#server/db/database.ts';
import { BodyRefused } from './bodies/bodies.ts';
import { TokenRefused } from './caller.ts';
import { CallerSuspended } from './suspension.ts';

/** SQLSTATEs of a database that is away or cannot take more: connection lost, resources used up, shutting down, and our own queue. */
const AWAY = /^(08|53|57P0|PT503)/;
const RETRY_SECONDS = 2;

export const BUSY_MESSAGE = 'The server is busy. Please try again in a moment.';

/** What a request has failed with, apart from the refusals of one API. `retryAfter`: whole seconds after which to send it again. */
type ErrorClass =
  | { readonly kind: 'token'; readonly error: TokenRefused }
  | { readonly kind: 'body'; readonly error: BodyRefused }
  /** Too many statements of this caller took too long. */
  | { readonly kind: 'suspended'; readonly retryAfter: number; readonly message: string }
  /** The database is busy or away. */
  | { readonly kind: 'busy'; readonly retryAfter: number }
  | { readonly kind: 'other' };

/** Classifies an error for all APIs. Each answers the classes in the format of its protocol, and its own refusals before. */
export function classifyError(error: unknown): ErrorClass {
  if (error instanceof TokenRefused) return { kind: 'token', error };
  if (error instanceof BodyRefused) return { kind: 'body', error };
  if (error instanceof CallerSuspended || error instanceof CallerStopped)
    return { kind: 'suspended', retryAfter: error.retryAfter, message: error.message };
  if (error instanceof DatabaseError && AWAY.test(error.code))
    return {
      kind: 'busy',
      retryAfter: 'retryAfter' in error && typeof error.retryAfter === 'number' ? error.retryAfter : RETRY_SECONDS,
    };
  return { kind: 'other' };
}
