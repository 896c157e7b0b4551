import type { Call } from '../core/request.ts';
import { requireSso } from './require-sso.ts';
import type { AuthContext } from '../core/context.ts';

/** Our SAML entity id, and the address to which identity providers post responses. */
export function samlParty(apiUrl: string): { entityId: string; acsUrl: string } {
  const base = `${apiUrl}/auth/v1/sso/saml`;
  return { entityId: `${base}/metadata`, acsUrl: `${base}/acs` };
}

/** `GET /sso/saml/metadata`: the settings that an identity provider needs (SAML 2.0 Metadata). */
export async function ssoMetadata(context: AuthContext, c: Call): Promise<Response> {
  requireSso(context);
  // The library is loaded at its first use, so that the server starts faster.
  const { generateServiceProviderMetadata } = await import('@node-saml/node-saml');
  const { entityId, acsUrl } = samlParty(context.config.apiUrl);
  const xml = generateServiceProviderMetadata({
    issuer: entityId,
    callbackUrl: acsUrl,
    identifierFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
    wantAssertionsSigned: true,
  });
  const disposition =
    c.req.query('download') === 'true' ? { 'content-disposition': 'attachment; filename="metadata.xml"' } : {};
  return c.body(xml, 200, { 'content-type': 'application/samlmetadata+xml', ...disposition });
}
