import type { AuthRefusal } from '../core/errors.ts';
import type { Call } from '../core/request.ts';

/** OAuth error names for a status, as Supabase Auth uses them in redirects. */
const ERROR_NAMES: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized_client',
  403: 'access_denied',
  422: 'access_denied',
  429: 'temporarily_unavailable',
  503: 'temporarily_unavailable',
};

/** Redirects with a code to exchange. */
export function redirectWithCode(c: Call, redirectTo: string, code: string): Response {
  const url = new URL(redirectTo);
  url.searchParams.set('code', code);
  return c.redirect(url.href, 302);
}

/** Redirects with the session in the fragment, which browsers do not send to servers. */
export function redirectWithSession(
  c: Call,
  redirectTo: string,
  session: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, string | null>> = {},
): Response {
  const url = new URL(redirectTo);
  const fields = ['access_token', 'expires_at', 'expires_in', 'refresh_token', 'token_type'] as const;
  const values = [
    ...fields.map((name) => [name, String(session[name])] as const),
    ...Object.entries(more).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])),
  ];
  url.hash = new URLSearchParams(Object.fromEntries(values)).toString();
  return c.redirect(url.href, 302);
}

/** Redirects with an error in the query and in the fragment, because clients look in either. */
export function redirectWithError(c: Call, redirectTo: string, refusal: AuthRefusal, error?: string): Response {
  const url = new URL(redirectTo);
  const fields = {
    error: error ?? ERROR_NAMES[refusal.status] ?? 'server_error',
    error_code: refusal.code,
    error_description: refusal.message,
  };
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
  url.hash = new URLSearchParams(fields).toString();
  return c.redirect(url.href, 302);
}
