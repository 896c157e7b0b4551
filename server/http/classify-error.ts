import { CallerStopped, DatabaseError } from '#server/db/database.ts';
import { BodyRefused } from './bodies/bodies.ts';
import { TokenRefused } from './caller.ts';
import { CallerSuspended } from './suspension.ts';

/**
 * SQLSTATEs of an unavailable or overloaded database: connection lost, resources used up, shutting down, and this server's own queue full.
 */
const AWAY = /^(08|53|57P0|PT503)/;
const RETRY_SECONDS = 2;

export const BUSY_MESSAGE = 'The server is busy. Please try again in a moment.';

/** The failures that all APIs have in common. `retryAfter`: whole seconds after which the client may retry. */
type ErrorClass =
  | { readonly kind: 'token'; readonly error: TokenRefused }
  | { readonly kind: 'body'; readonly error: BodyRefused }
  /** Too many statements of this caller took too long. */
  | { readonly kind: 'suspended'; readonly retryAfter: number; readonly message: string }
  /** The database is busy or unavailable. */
  | { readonly kind: 'busy'; readonly retryAfter: number }
  | { readonly kind: 'other' };

/** Classifies an error for all APIs. Each API handles its own refusals first and reports these classes in the format of its protocol. */
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
