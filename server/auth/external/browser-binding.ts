import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { equalInConstantTime } from '#server/crypto/constant-time.ts';
import type { Call } from '../core/request.ts';
import type { Flow } from './flows.ts';

const COOKIE_SECONDS = 600;

/** The path to which a provider sends the browser back, and whether it posts a form there. */
export type Landing = { readonly path: string; readonly formPost: boolean };
export const OAUTH_PATH = '/auth/v1/callback';
export const SAML_LANDING: Landing = { path: '/auth/v1/sso/saml/acs', formPost: true };

const cookieName = (state: string): string => `sign-in-${state.slice(0, 12)}`;

/**
 * Stores the state of a flow in a cookie that the browser must present when it comes back. Without a challenge the flow has no verifier
 * that ties the answer to the requester, so a forged link or form could otherwise sign a visitor in to another person's account.
 */
export function bindToBrowser(c: Call, siteUrl: string, state: string, { path, formPost }: Landing): void {
  const secure = siteUrl.startsWith('https:');
  setCookie(c, cookieName(state), state, {
    path,
    httpOnly: true,
    secure,
    // A form post from the provider's site carries only cookies with SameSite=None.
    sameSite: formPost && secure ? 'None' : 'Lax',
    maxAge: COOKIE_SECONDS,
  });
}

/** Whether the browser presents the cookie of the flow. Flows with a challenge or for an account need no cookie. */
export function startedInThisBrowser(c: Call, flow: Flow, state: string, { path }: Pick<Landing, 'path'>): boolean {
  if (flow.challenge !== null || flow.linkUserId !== null) return true;
  const bound = equalInConstantTime(getCookie(c, cookieName(state)) ?? '', state);
  deleteCookie(c, cookieName(state), { path });
  return bound;
}
