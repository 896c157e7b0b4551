import { AuthRefusal, refuse } from '../core/errors.ts';
import type { Call } from '../core/request.ts';
import { OAUTH_PATH, startedInThisBrowser } from './browser-binding.ts';
import { completeSignIn } from './complete-sign-in.ts';
import { toExternalIdentity } from './external-identity.ts';
import { type Flow, flowSecrets, takeFlow } from './flows.ts';
import { redirectWithError } from './redirect-back.ts';
import type { AuthContext } from '../core/context.ts';

/** `GET` and `POST /callback`: receives a browser that an identity provider sends back. Errors go to the page of `redirect_to`. */
export async function callback(context: AuthContext, c: Call): Promise<Response> {
  const { db, config, providers } = context;
  if (providers.size === 0) throw refuse.validation('Unsupported provider: provider is not enabled');
  const text = c.req.method === 'POST' ? await c.req.text() : new URL(c.req.url).search;
  const response = new URLSearchParams(text);
  const state = response.get('state');
  if (!state) return redirectWithError(c, config.siteUrl, missingState());
  const flow = await db.transaction((tx) => takeFlow(context, tx, state));
  if (flow?.method !== 'oauth' || !startedInThisBrowser(c, flow, state, { path: OAUTH_PATH }))
    return redirectWithError(c, config.siteUrl, unknownState());
  try {
    return await redeemResponse(context, c, flow, state, response);
  } catch (error) {
    if (error instanceof AuthRefusal) return redirectWithError(c, flow.redirectTo, error);
    c.var.log.error({ err: error, provider: flow.provider }, 'a sign-in through an identity provider failed');
    const refusal = new AuthRefusal(503, 'unexpected_failure', 'Unable to exchange external code');
    return redirectWithError(c, flow.redirectTo, refusal, 'server_error');
  }
}

const missingState = (): AuthRefusal => new AuthRefusal(400, 'bad_oauth_callback', 'OAuth state parameter missing');
const unknownState = (): AuthRefusal => new AuthRefusal(400, 'bad_oauth_state', 'OAuth state not found or expired');

/** Exchanges the provider's response for the user, and completes the sign-in. */
async function redeemResponse(
  context: AuthContext,
  c: Call,
  flow: Flow,
  state: string,
  response: URLSearchParams,
): Promise<Response> {
  const provider = context.providers.get(flow.provider);
  if (!provider) throw refuse.validation('Unsupported provider: provider is not enabled');
  const error = response.get('error');
  if (error !== null) {
    const description = response.get('error_description') ?? 'The provider refused the sign-in';
    const refusal = new AuthRefusal(403, 'access_denied', description.slice(0, 300));
    return redirectWithError(c, flow.redirectTo, refusal, /^\w{1,60}$/.test(error) ? error : 'access_denied');
  }
  const secrets = flowSecrets(context, flow.id);
  const { user, accessToken, refreshToken } = await provider.redeem({ ...secrets, state, response });
  const tokens = { access: accessToken, refresh: refreshToken };
  return completeSignIn(context, c, flow, toExternalIdentity(flow.provider, user), tokens);
}
