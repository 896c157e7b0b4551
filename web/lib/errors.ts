/** Said when there is nothing better to say (spec section 8). */
export const UNEXPECTED = 'An unexpected error occurred. Please try again.';

/** What to tell people of an error; `fallback` when it has nothing fit to say: no message, a data dump, a network's own words. */
export function describeError(error: unknown, fallback: string): string {
  const message = messageOf(error);
  return message === '' || /^\[?\{|fetch failed|Failed to fetch|NetworkError|Load failed/.test(message)
    ? fallback
    : message;
}

/** Data calls refuse with a plain object, everything else with an Error. */
function messageOf(error: unknown): string {
  if (error === null || typeof error !== 'object' || !('message' in error)) return '';
  return typeof error.message === 'string' ? error.message : '';
}

/** The auth service's word for what went wrong, such as `email_not_confirmed`; '' when there is none. */
export function errorCode(error: unknown): string {
  if (error === null || typeof error !== 'object' || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}
