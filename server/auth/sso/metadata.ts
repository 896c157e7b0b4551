import { generateServiceProviderMetadata } from '@node-saml/node-saml';
import type { AuthContext } from '../core/context.ts';
import type { Operation } from '../core/request.ts';
import { samlDisabled } from './sso.ts';

/** As whom identity providers know us, and where they answer to. */
export function samlParty(apiUrl: string): { entityId: string; acsUrl: string } {
  const base = `${apiUrl}/auth/v1/sso/saml`;
  return { entityId: `${base}/metadata`, acsUrl: `${base}/acs` };
}

/** `GET /sso/saml/metadata`: what an employer's identity provider is set up with (SAML 2.0 Metadata). */
export function createMetadata({ config, ssoProviders }: AuthContext): Operation {
  return (c) => {
    if (ssoProviders.length === 0) throw samlDisabled();
    const { entityId, acsUrl } = samlParty(config.apiUrl);
    const xml = generateServiceProviderMetadata({
      issuer: entityId,
      callbackUrl: acsUrl,
      identifierFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
      wantAssertionsSigned: true,
    });
    const saved =
      c.req.query('download') === 'true' ? { 'content-disposition': 'attachment; filename="metadata.xml"' } : {};
    return Promise.resolve(c.body(xml, 200, { 'content-type': 'application/samlmetadata+xml', ...saved }));
  };
}
