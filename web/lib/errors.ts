/** Default message, fixed by the specification. */
export const UNEXPECTED = 'An unexpected error occurred. Please try again.';

/** Returns a message for people. `fallback` when the error has none that people can read: empty, JSON, or a network error of the browser. */
export function describeError(error: unknown, fallback: string): string {
  const message = messageOf(error);
  return message === '' || /^\[?\{|fetch failed|Failed to fetch|NetworkError|Load failed/.test(message)
    ? fallback
    : message;
}

/** supabase-js data calls fail with a plain object, everything else with an Error. */
function messageOf(error: unknown): string {
  if (error === null || typeof error !== 'object' || !('message' in error)) return '';
  return typeof error.message === 'string' ? error.message : '';
}

/** Returns the error code, such as `email_not_confirmed`; '' when there is none. */
export function errorCode(error: unknown): string {
  if (error === null || typeof error !== 'object' || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}
