import { generateServiceProviderMetadata } from '@node-saml/node-saml';
import type { AuthContext } from '../core/context.ts';
import type { Handler } from '../core/request.ts';
import { samlDisabled } from './sso.ts';

/** Our SAML entity id and the address for answers. */
export function samlParty(apiUrl: string): { entityId: string; acsUrl: string } {
  const base = `${apiUrl}/auth/v1/sso/saml`;
  return { entityId: `${base}/metadata`, acsUrl: `${base}/acs` };
}

/** `GET /sso/saml/metadata`: the settings that an identity provider needs (SAML 2.0 Metadata). */
export function createMetadata({ config, ssoProviders }: AuthContext): Handler {
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
