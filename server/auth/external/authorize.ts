import type { Context } from 'hono';
import { setCookie } from 'hono/cookie';
import type { Env } from '#server/http/caller.ts';
import type { SignInProvider } from '#server/providers/ports.ts';
import { authLimits } from '../core/config.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { type Operation, readPerson } from '../core/request.ts';
import { readChallenge } from './pkce.ts';
import { createSafeRedirect } from './redirects.ts';

/** What clients may not say to a provider: it is ours, or ours alone to say. */
const OURS = new Set([
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

/** `GET /authorize`: sends a browser to an identity provider. With a challenge it ends in a code, without in a session (implicit). */
export function createAuthorize(parts: AuthContext): Operation {
  return async (c) => c.redirect(await begin(parts, c, null), 302);
}

/** `GET /user/identities/authorize`: the same, for one more identity of somebody who is signed in. */
export function createLinkIdentity(parts: AuthContext): Operation {
  return async (c) => {
    const person = await readPerson(c, parts.readCaller);
    if (!parts.config.manualLinking)
      throw refuse.disabled(404, 'manual_linking_disabled', 'Manual linking is disabled');
    const url = await begin(parts, c, person.userId);
    return c.req.query('skip_http_redirect') === 'true' ? c.json({ url }) : c.redirect(url, 302);
  };
}

async function begin(parts: AuthContext, c: Context<Env>, linkUserId: string | null): Promise<string> {
  const { db, config, flows, limits } = parts;
  const query = c.req.query();
  const provider = readProvider(parts, query['provider'] ?? '');
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
  const extra = Object.fromEntries(Object.entries(query).filter(([name]) => !OURS.has(name)));
  try {
    return await provider.startUrl({ ...flows.secrets(id), state, scopes: query['scopes'] ?? null, extra });
  } catch (error) {
    c.var.log.error({ err: error, provider: provider.name }, 'an identity provider could not be asked');
    throw new AuthRefusal(503, 'unexpected_failure', 'The identity provider does not answer. Please try again.');
  }
}

/** In the words the protocol has for a provider that is not there. */
export function readProvider({ providers }: Pick<AuthContext, 'providers'>, name: string): SignInProvider {
  const provider = providers.get(name.toLowerCase());
  if (provider) return provider;
  throw refuse.validation('Unsupported provider: provider is not enabled');
}

export const cookieOf = (state: string): string => `sign-in-${state.slice(0, 12)}`;

/**
 * The implicit flow has no verifier that ties the answer to whoever asked, so a link could sign somebody into a stranger's account:
 * the browser that asked keeps the state and must bring it back.
 */
function bindToBrowser(c: Context<Env>, siteUrl: string, state: string, formPost: boolean): void {
  const secure = siteUrl.startsWith('https:');
  setCookie(c, cookieOf(state), state, {
    path: '/auth/v1/callback',
    httpOnly: true,
    secure,
    // A form of another site's page brings only cookies that say so.
    sameSite: formPost && secure ? 'None' : 'Lax',
    maxAge: COOKIE_SECONDS,
  });
}
