import type { Context } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { AuthRefusal } from '../core/errors.ts';

/** How hosted Supabase names a status in an address. */
const NAMES: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized_client',
  403: 'access_denied',
  422: 'access_denied',
  429: 'temporarily_unavailable',
  503: 'temporarily_unavailable',
};

/** Leads back with a code to trade. */
export function redirectWithCode(c: Context<Env>, redirectTo: string, code: string): Response {
  const url = new URL(redirectTo);
  url.searchParams.set('code', code);
  return c.redirect(url.href, 302);
}

/** Leads back with the session in the fragment, which no server sees. */
export function redirectWithSession(
  c: Context<Env>,
  redirectTo: string,
  session: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, string | null>> = {},
): Response {
  const url = new URL(redirectTo);
  const fields = ['access_token', 'expires_at', 'expires_in', 'refresh_token', 'token_type'];
  const values = [
    ...fields.map((name) => [name, String(session[name])] as const),
    ...Object.entries(more).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])),
  ];
  url.hash = new URLSearchParams(Object.fromEntries(values)).toString();
  return c.redirect(url.href, 302);
}

/** Leads back with a no, in the query and in the fragment, as clients look for it in both. */
export function redirectWithError(c: Context<Env>, redirectTo: string, refusal: AuthRefusal, error?: string): Response {
  const url = new URL(redirectTo);
  const fields = {
    error: error ?? NAMES[refusal.status] ?? 'server_error',
    error_code: refusal.code,
    error_description: refusal.message,
  };
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
  url.hash = new URLSearchParams(fields).toString();
  return c.redirect(url.href, 302);
}
