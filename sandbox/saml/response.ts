import { randomBytes } from 'node:crypto';
import { SignedXml } from 'xml-crypto';
import { esc } from '../core/page.ts';
import type { Account } from '../accounts/accounts.ts';

const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256';
const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
const ASSERTION = `//*[local-name(.)='Assertion']`;
const LIFE_MS = 5 * 60_000;

/** Builds a signed SAML response (SAML 2.0 Core, 3.3.3). Its times are real time, because receivers check them against it. */
export function createResponse(of: {
  account: Account;
  issuer: string;
  audience: string;
  acs: string;
  /** The id of the answered request, or null for an unsolicited response. */
  inResponseTo: string | null;
  privatePem: string;
  /** Age of the response, in milliseconds. */
  ageMs?: number;
}): string {
  const { account, issuer, audience, acs } = of;
  const now = new Date(Date.now() - (of.ageMs ?? 0));
  const at = (ms: number): string => new Date(now.getTime() + ms).toISOString();
  const inResponseTo = of.inResponseTo === null ? '' : ` InResponseTo="${esc(of.inResponseTo)}"`;
  const attribute = (name: string, value: string): string =>
    `<saml:Attribute Name="${name}" NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:basic"><saml:AttributeValue>${esc(value)}</saml:AttributeValue></saml:Attribute>`;
  const assertion = `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${newId()}" IssueInstant="${at(0)}" Version="2.0"><saml:Issuer>${esc(issuer)}</saml:Issuer><saml:Subject><saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">${esc(account.sub)}</saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData NotOnOrAfter="${at(LIFE_MS)}" Recipient="${esc(acs)}"${inResponseTo}/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${at(-LIFE_MS)}" NotOnOrAfter="${at(LIFE_MS)}"><saml:AudienceRestriction><saml:Audience>${esc(audience)}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="${at(0)}" SessionIndex="${newId()}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement>${attribute('email', account.email)}${attribute('name', account.name)}</saml:AttributeStatement></saml:Assertion>`;
  const response = `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="${newId()}" IssueInstant="${at(0)}" Version="2.0" Destination="${esc(acs)}"${inResponseTo}><saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${esc(issuer)}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>${assertion}</samlp:Response>`;
  return signAssertion(response, of.privatePem);
}

function signAssertion(xml: string, privatePem: string): string {
  const signature = new SignedXml({
    privateKey: privatePem,
    signatureAlgorithm: RSA_SHA256,
    canonicalizationAlgorithm: EXCLUSIVE,
  });
  signature.addReference({ xpath: ASSERTION, transforms: [ENVELOPED, EXCLUSIVE], digestAlgorithm: SHA256 });
  signature.computeSignature(xml, {
    prefix: 'ds',
    location: { reference: `${ASSERTION}/*[local-name(.)='Issuer']`, action: 'after' },
  });
  return signature.getSignedXml();
}

const newId = (): string => `_${randomBytes(16).toString('hex')}`;
