/** SQLSTATEs of a database that is away or cannot take more: connection lost, resources used up, shutting down, and our own queue. */
const AWAY = /^(08|53|57P0|PT503)/;
const RETRY_SECONDS = 2;

export const BUSY_MESSAGE = 'The server is busy. Please try again in a moment.';

/**
 * Returns the whole seconds after which to send a request again when the database was busy or away; null for every other error. It reads
 * `code` and `retryAfter` of a `DatabaseError`: this folder imports only types of server/db.
 */
export function retryAfterOf(error: unknown): number | null {
  if (!(error instanceof Error) || error.name !== 'DatabaseError') return null;
  if (!('code' in error) || typeof error.code !== 'string' || !AWAY.test(error.code)) return null;
  return 'retryAfter' in error && typeof error.retryAfter === 'number' ? error.retryAfter : RETRY_SECONDS;
}
