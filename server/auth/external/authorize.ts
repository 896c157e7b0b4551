import type { SignInProvider } from '#server/providers/ports.ts';
import { refuse } from '../core/errors.ts';
import { authLimits, takeLimit } from '../core/limits.ts';
import { safeRedirect } from '../core/redirects.ts';
import { type Call, requireUser } from '../core/request.ts';
import { bindToBrowser, OAUTH_PATH } from './browser-binding.ts';
import { beginFlow, flowSecrets } from './flows.ts';
import { readChallenge } from './pkce.ts';
import type { AuthContext } from '../core/context.ts';

/** Parameters that are not passed on from clients to a provider, because this server reads or sets them itself. */
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

/**
 * `GET /authorize`: redirects a browser to an identity provider. With a challenge the flow returns a code. Without a challenge it returns a
 * session (implicit flow).
 */
export async function authorize(context: AuthContext, c: Call): Promise<Response> {
  return c.redirect(await startSignIn(context, c, null), 302);
}

/** `GET /user/identities/authorize`: redirects in the same way, to add an identity to the signed-in account. */
export async function authorizeLink(context: AuthContext, c: Call): Promise<Response> {
  const { userId } = await requireUser(context, c);
  if (!context.config.manualLinking) throw refuse.linkingDisabled();
  const url = await startSignIn(context, c, userId);
  return c.req.query('skip_http_redirect') === 'true' ? c.json({ url }) : c.redirect(url, 302);
}

/** Begins a flow and returns the provider's address. `linkUserId`: the account that gets the identity; null for a sign-in. */
async function startSignIn(context: AuthContext, c: Call, linkUserId: string | null): Promise<string> {
  const { db, config } = context;
  const query = c.req.query();
  const provider = findProvider(context, query['provider'] ?? '');
  const challenge = readChallenge(query['code_challenge'], query['code_challenge_method']);
  await takeLimit(context, authLimits.flowIp, `ip:${c.var.ip}`);
  const redirectTo = safeRedirect(config, query['redirect_to']);
  const start = {
    provider: provider.name,
    method: 'oauth',
    redirectTo,
    challenge,
    linkUserId,
    requestId: null,
  } as const;
  const { id, state } = await beginFlow(context, db, start);
  if (challenge === null) bindToBrowser(c, config.siteUrl, state, { path: OAUTH_PATH, formPost: provider.formPost });
  const extra = Object.fromEntries(Object.entries(query).filter(([name]) => !RESERVED_PARAMETERS.has(name)));
  try {
    return await provider.startUrl({ ...flowSecrets(context, id), state, scopes: query['scopes'] ?? null, extra });
  } catch (error) {
    c.var.log.error(
      { err: error, provider: provider.name },
      'an identity provider did not answer; the sign-in was refused',
    );
    throw refuse.providerDown();
  }
}

/** Returns a provider by name. Throws Supabase Auth's refusal for an unknown one. */
function findProvider({ providers }: AuthContext, name: string): SignInProvider {
  const provider = providers.get(name.toLowerCase());
  if (provider) return provider;
  throw refuse.validation('Unsupported provider: provider is not enabled');
}
