import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { SingleSignOn } from '#server/providers/ports.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { authLimits, takeLimit } from '../core/limits.ts';
import { safeRedirect } from '../core/redirects.ts';
import { type Call, readBody } from '../core/request.ts';
import { bindToBrowser, SAML_LANDING } from '../external/browser-binding.ts';
import { beginFlow } from '../external/flows.ts';
import { readChallenge } from '../external/pkce.ts';
import { requireSso } from './require-sso.ts';
import type { AuthContext } from '../core/context.ts';

const schema = z.object({
  provider_id: z.string().max(100).nullish(),
  domain: z.string().max(255).nullish(),
  redirect_to: z.string().max(2_000).nullish(),
  skip_http_redirect: z.boolean().nullish(),
  code_challenge: z.string().max(200).nullish(),
  code_challenge_method: z.string().max(20).nullish(),
});
type Body = z.output<typeof schema>;

/** `POST /sso`: begins a single sign-on at a SAML provider, chosen by its id or by an email domain. */
export async function startSso(context: AuthContext, c: Call): Promise<Response> {
  requireSso(context);
  const body = await readBody(c, schema);
  if (body.provider_id && body.domain) throw refuse.validation('Only one of provider_id or domain supported');
  if (!body.provider_id && !body.domain) throw refuse.validation('A provider_id or domain needs to be provided');
  const challenge = readChallenge(body.code_challenge, body.code_challenge_method);
  const ssoProvider = findSsoProvider(context, body);
  await takeLimit(context, authLimits.flowIp, `ip:${c.var.ip}`);
  const requestId = `_${randomBytes(20).toString('hex')}`;
  const { state } = await beginFlow(context, context.db, {
    provider: `sso:${ssoProvider.id}`,
    method: 'sso/saml',
    redirectTo: safeRedirect(context.config, body.redirect_to),
    challenge,
    linkUserId: null,
    requestId,
  });
  if (challenge === null) bindToBrowser(c, context.config.siteUrl, state, SAML_LANDING);
  const url = await ssoProvider.startUrl({ requestId, relayState: state }).catch((error: unknown) => {
    c.var.log.error({ err: error }, 'an identity provider did not answer; the sign-in was refused');
    throw refuse.providerDown();
  });
  return body.skip_http_redirect === true ? c.json({ url }) : c.redirect(url, 303);
}

function findSsoProvider({ ssoProviders }: AuthContext, body: Body): SingleSignOn {
  const domain = body.domain?.toLowerCase();
  const found = ssoProviders.find((provider) =>
    domain === undefined ? provider.id === body.provider_id?.toLowerCase() : provider.domains.includes(domain),
  );
  if (found) return found;
  throw new AuthRefusal(
    404,
    'sso_provider_not_found',
    body.domain ? 'No SSO provider assigned for this domain' : 'No such SSO provider',
  );
}
