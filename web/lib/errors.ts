import type { CallName, CallRefusal } from '#contracts/call-types.ts';

/** Default message, fixed by the specification. */
export const UNEXPECTED = 'An unexpected error occurred. Please try again.';
export const FAILED = 'Something went wrong. Please try again.';
export const OFFLINE = 'We can’t reach the studio right now. Please check your connection and try again.';

/** A failed call. `code` comes from the server, `message` is for people, and `details` holds the other fields of the error. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: string;
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>>;
  constructor(code: string, message: string, status: number, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.details = details;
  }
}

/** Reads `{error: {code, message, …}}` from the response to a refused call. */
export async function readFailure(response: Response): Promise<AppError> {
  const body: unknown = await response.json().catch(() => null);
  const fields = body !== null && typeof body === 'object' && 'error' in body ? body.error : body;
  if (fields === null || typeof fields !== 'object') return new AppError('unknown', FAILED, response.status);
  const details: Record<string, unknown> = Object.fromEntries(Object.entries(fields));
  const { code, message } = details;
  return new AppError(
    typeof code === 'string' ? code : 'unknown',
    typeof message === 'string' ? message : FAILED,
    response.status,
    details,
  );
}

/**
 * Returns a message for people. Returns `fallback` if the error has no readable message, because it is empty, JSON, or a network error of
 * the browser.
 */
export function describeError(error: unknown, fallback: string): string {
  const message = getMessage(error);
  return message === '' || /^\[?\{|fetch failed|Failed to fetch|NetworkError|Load failed/.test(message)
    ? fallback
    : message;
}

/** Returns for staff why something could not be loaded. */
export const describeLoadError = (error: unknown): string => describeError(error, 'Check your connection.');

/** Data calls of supabase-js fail with a plain object, everything else with an Error. */
function getMessage(error: unknown): string {
  if (error === null || typeof error !== 'object' || !('message' in error)) return '';
  return typeof error.message === 'string' ? error.message : '';
}

/** Codes that pages compare and that are in no contract. They come from the browser, the account API, PostgREST and PostgreSQL. */
type OtherCode =
  | 'offline'
  | 'session_not_found'
  | 'PGRST301'
  | 'email_not_confirmed'
  | 'invalid_credentials'
  | 'otp_expired'
  | 'mfa_verification_failed'
  | 'weak_password'
  | 'user_already_exists'
  | 'email_exists'
  | '22003'
  | '23505'
  | '23514'
  | '23P01'
  | '42501';

/**
 * Returns the error code, such as `email_not_confirmed`; '' if there is none. The server may send any code, but the type only has those
 * that pages compare. A misspelt code therefore does not compile. Neither does a code of a contract: use `isRefused` and `findRefusal` for
 * those.
 */
export function errorCode(error: unknown): OtherCode | '' {
  return readCode(error) as OtherCode | '';
}

function readCode(error: unknown): string {
  if (error === null || typeof error !== 'object' || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

/** Whether the function `Name` refused the call with one of these codes. `Name` must be given, because its contract defines the codes. */
export function isRefused<Name extends CallName = never>(
  error: unknown,
  ...codes: readonly CallRefusal<Name>[]
): boolean {
  const accepted: readonly string[] = codes;
  return accepted.includes(readCode(error));
}

/** What a page does about each refusal of a function. Null if it only shows the server's message. */
export type RefusalActions<Name extends CallName, Action> = Readonly<Record<CallRefusal<Name>, Action | null>>;

/**
 * Returns what a page does about this error. Null if it only shows the message. This includes codes that only a newer server has, and
 * failures that are not refusals.
 */
export function findRefusal<Action>(error: unknown, actions: Readonly<Record<string, Action | null>>): Action | null {
  const code = readCode(error);
  return Object.hasOwn(actions, code) ? (actions[code] ?? null) : null;
}

/** Returns another number from a refused call, such as the current price; null if it has none. */
export function errorNumber(error: unknown, field: string): number | null {
  const value = error instanceof AppError ? error.details[field] : null;
  return typeof value === 'number' ? value : null;
}

/** Whether the user closed the browser's own passkey dialog. */
export function wasCancelled(error: unknown): boolean {
  return (
    error instanceof Error && /NotAllowed|not allowed|timed out|cancel|abort/i.test(`${error.name} ${error.message}`)
  );
}

/** Returns the title, fixed by the specification, for an invalid field of a new password. */
export const titleOfPassword = (field: string): string =>
  field === 'confirm' ? 'Password mismatch' : 'Password too short';
