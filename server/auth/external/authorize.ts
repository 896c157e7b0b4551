import type { Context } from 'hono';
import { setCookie } from 'hono/cookie';
import type { Env } from '#server/http/caller.ts';
import type { SignInProvider } from '#server/providers/ports.ts';
import { authLimits } from '../core/config.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { type Handler, readPerson } from '../core/request.ts';
import { readChallenge } from './pkce.ts';
import { createSafeRedirect } from './redirects.ts';

/** Parameters that clients cannot pass on to a provider, because we use or set them ourselves. */
const RESERVED_PARAMETERS = new Set([
  'provider',
  'scopes',
  'redirect_to',
  'skip_http_redirect',
  'apikey',
  'scope',
  'state',
  'nonce',
  'client_id',
  'client_secret',
  'redirect_uri',
  'response_type',
  'response_mode',
  'code_challenge',
  'code_challenge_method',
  'request',
  'request_uri',
  'registration',
  'claims',
  'id_token_hint',
]);
const COOKIE_SECONDS = 600;

/** `GET /authorize`: redirects a browser to an identity provider. With a challenge the flow returns a code, without one a session (implicit). */
export function createAuthorize(context: AuthContext): Handler {
  return async (c) => c.redirect(await begin(context, c, null), 302);
}

/** `GET /user/identities/authorize`: the same, to add an identity to the signed-in account. */
export function createLinkIdentity(context: AuthContext): Handler {
  return async (c) => {
    const person = await readPerson(c, context.readCaller);
    if (!context.config.manualLinking)
      throw refuse.disabled(404, 'manual_linking_disabled', 'Manual linking is disabled');
    const url = await begin(context, c, person.userId);
    return c.req.query('skip_http_redirect') === 'true' ? c.json({ url }) : c.redirect(url, 302);
  };
}

async function begin(context: AuthContext, c: Context<Env>, linkUserId: string | null): Promise<string> {
  const { db, config, flows, limits } = context;
  const query = c.req.query();
  const provider = readProvider(context, query['provider'] ?? '');
  const challenge = readChallenge(query['code_challenge'], query['code_challenge_method']);
  const wait = await limits(authLimits.flowIp, `ip:${c.var.ip}`);
  if (wait !== null) throw refuse.rate(wait);
  const redirectTo = createSafeRedirect(config.siteUrl, config.redirects)(query['redirect_to']);
  const { id, state } = await flows.begin(db, {
    provider: provider.name,
    method: 'oauth',
    redirectTo,
    challenge,
    linkUserId,
    requestId: null,
  });
  if (challenge === null) bindToBrowser(c, config.siteUrl, state, provider.formPost);
  const extra = Object.fromEntries(Object.entries(query).filter(([name]) => !RESERVED_PARAMETERS.has(name)));
  try {
    return await provider.startUrl({ ...flows.secrets(id), state, scopes: query['scopes'] ?? null, extra });
  } catch (error) {
    c.var.log.error({ err: error, provider: provider.name }, 'an identity provider did not answer');
    throw new AuthRefusal(503, 'unexpected_failure', 'The identity provider does not answer. Please try again.');
  }
}

/** Returns a provider by name. Throws GoTrue's refusal for an unknown one. */
export function readProvider({ providers }: Pick<AuthContext, 'providers'>, name: string): SignInProvider {
  const provider = providers.get(name.toLowerCase());
  if (provider) return provider;
  throw refuse.validation('Unsupported provider: provider is not enabled');
}

export const cookieOf = (state: string): string => `sign-in-${state.slice(0, 12)}`;

/**
 * Stores the state in a cookie that the callback must present. The implicit flow has no verifier that ties the answer to the requester,
 * so a forged link could otherwise sign a visitor in to somebody else's account.
 */
function bindToBrowser(c: Context<Env>, siteUrl: string, state: string, formPost: boolean): void {
  const secure = siteUrl.startsWith('https:');
  setCookie(c, cookieOf(state), state, {
    path: '/auth/v1/callback',
    httpOnly: true,
    secure,
    // A form post from the provider's site carries only cookies with SameSite=None.
    sameSite: formPost && secure ? 'None' : 'Lax',
    maxAge: COOKIE_SECONDS,
  });
}
