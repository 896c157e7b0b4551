import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { authLimits } from '../core/config.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { readChallenge } from '../external/pkce.ts';
import { createSafeRedirect } from '../external/redirects.ts';
import { type Handler, readBody } from '../core/request.ts';

const schema = z.object({
  provider_id: z.string().max(100).nullish(),
  domain: z.string().max(255).nullish(),
  redirect_to: z.string().max(2_000).nullish(),
  skip_http_redirect: z.boolean().nullish(),
  code_challenge: z.string().max(200).nullish(),
  code_challenge_method: z.string().max(20).nullish(),
});

/** `POST /sso`: begins a single sign-on at a SAML provider, chosen by its id or by an email domain. */
export function createSso({ db, config, ssoProviders, flows, limits }: AuthContext): Handler {
  return async (c) => {
    if (ssoProviders.length === 0) throw samlDisabled();
    const body = await readBody(c, schema);
    if (body.provider_id && body.domain) throw refuse.validation('Only one of provider_id or domain supported');
    if (!body.provider_id && !body.domain) throw refuse.validation('A provider_id or domain needs to be provided');
    const challenge = readChallenge(body.code_challenge, body.code_challenge_method);
    const domain = body.domain?.toLowerCase();
    const ssoProvider = ssoProviders.find((one) =>
      domain === undefined ? one.id === body.provider_id?.toLowerCase() : one.domains.includes(domain),
    );
    if (!ssoProvider)
      throw new AuthRefusal(
        404,
        'sso_provider_not_found',
        body.domain ? 'No SSO provider assigned for this domain' : 'No such SSO provider',
      );
    const wait = await limits(authLimits.flowIp, `ip:${c.var.ip}`);
    if (wait !== null) throw refuse.rate(wait);
    const requestId = `_${randomBytes(20).toString('hex')}`;
    const { state } = await flows.begin(db, {
      provider: `sso:${ssoProvider.id}`,
      method: 'sso/saml',
      redirectTo: createSafeRedirect(config.siteUrl, config.redirects)(body.redirect_to),
      challenge,
      linkUserId: null,
      requestId,
    });
    const url = await ssoProvider.startUrl({ requestId, relayState: state }).catch((error: unknown) => {
      c.var.log.error({ err: error }, 'an identity provider did not answer');
      throw new AuthRefusal(503, 'unexpected_failure', 'The identity provider does not answer. Please try again.');
    });
    return body.skip_http_redirect === true ? c.json({ url }) : c.redirect(url, 303);
  };
}

export const samlDisabled = (): AuthRefusal => refuse.disabled(404, 'saml_provider_disabled', 'SAML 2.0 is disabled');
