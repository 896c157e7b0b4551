import { inflateRawSync } from 'node:zlib';
import type { Core } from '../core/core.ts';

/** A checked request of a service provider (SAML 2.0 Core, 3.4.1). */
export type AuthnRequest = { readonly id: string; readonly acs: string; readonly relayState: string | null };

const SKEW_MS = 5 * 60_000;

/** The registered service provider: its entity id and the only address for responses. */
export function registeredServiceProvider(core: Core): { entityId: string; acs: string } {
  const base = `${core.webhookTarget}/auth/v1/sso/saml`;
  return { entityId: `${base}/metadata`, acs: `${base}/acs` };
}

/** Parses a request of the HTTP-Redirect binding. Returns a message if it is invalid. */
export function readAuthnRequest(core: Core, url: URL, destination: string): AuthnRequest | string {
  const xml = inflate(url.searchParams.get('SAMLRequest'));
  if (xml === null) return 'SAMLRequest is missing or cannot be unpacked';
  if (!/<(?:\w+:)?AuthnRequest\b/.test(xml)) return 'SAMLRequest is not an AuthnRequest';
  const attribute = (name: string): string =>
    new RegExp(`<(?:\\w+:)?AuthnRequest\\b[^>]*?\\s${name}="([^"]*)"`).exec(xml)?.[1] ?? '';
  const serviceProvider = registeredServiceProvider(core);
  const issuer = /<(?:\w+:)?Issuer\b[^>]*>([^<]*)</.exec(xml)?.[1]?.trim();
  if (issuer !== serviceProvider.entityId) return `the service provider ${issuer ?? '(none)'} is not registered here`;
  if (attribute('AssertionConsumerServiceURL') !== serviceProvider.acs)
    return 'AssertionConsumerServiceURL is not registered';
  if (attribute('Destination') !== destination) return 'Destination is not this address';
  const issued = Date.parse(attribute('IssueInstant'));
  if (!(Math.abs(issued - Date.now()) < SKEW_MS)) return 'IssueInstant is more than five minutes off';
  if (attribute('ID') === '') return 'ID is missing';
  return { id: attribute('ID'), acs: serviceProvider.acs, relayState: url.searchParams.get('RelayState') };
}

function inflate(packed: string | null): string | null {
  if (packed === null) return null;
  try {
    return inflateRawSync(Buffer.from(packed, 'base64'), { maxOutputLength: 100_000 }).toString('utf8');
  } catch {
    return null; // not deflated
  }
}
