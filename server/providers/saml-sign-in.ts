import type { Profile, SAML } from '@node-saml/node-saml';
import { z } from 'zod';
import { PROVIDER_TIMEOUT_MS, ProviderError } from './call.ts';
import type { ProviderUser, SingleSignOn } from './ports.ts';

export const samlProviderSchema = z.object({
  id: z.uuid(),
  entity_id: z.string().min(1),
  sso_url: z.url({ protocol: /^https?$/ }),
  /** A PEM text, or the URL from which it is fetched. */
  certificate: z.string().min(1),
  domains: z
    .array(
      z
        .string()
        .toLowerCase()
        .regex(/^[a-z0-9.-]+\.[a-z]+$/),
    )
    .min(1),
  attributes: z.object({ email: z.string().optional(), name: z.string().optional() }).default({}),
});
export type SamlProvider = z.output<typeof samlProviderSchema>;
/** This site as the service provider. `acsUrl`: the address to which the identity provider posts its response. */
export type SamlServiceProvider = { readonly entityId: string; readonly acsUrl: string };

const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
const EMAIL_NAMES = [
  'email',
  'mail',
  'urn:oid:0.9.2342.19200300.100.1.3',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
];
const NAME_NAMES = [
  'name',
  'displayName',
  'urn:oid:2.16.840.1.113730.3.1.241',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name',
];
const SKEW_MS = 60_000;
const MAX_AGE_MS = 10 * 60_000;
const MAX_LENGTH = 256 * 1024;

/**
 * Signs in with a SAML 2.0 identity provider: HTTP-Redirect out, HTTP-POST back. Accepts only signed assertions in response to a request.
 */
export function createSamlSignIn(provider: SamlProvider, self: SamlServiceProvider): SingleSignOn {
  const name = `saml ${provider.id}`;
  const refuse = (reason: string, cause?: unknown): ProviderError =>
    new ProviderError(name, reason, { retryable: false }, cause);
  let certificate: Promise<string> | null = null;
  const findCertificate = (): Promise<string> => {
    certificate ??= readCertificate(name, provider.certificate).catch((error: unknown) => {
      certificate = null;
      throw error;
    });
    return certificate;
  };

  async function open(requestId: string): Promise<SAML> {
    // The library is loaded at its first use, so that the server starts faster.
    const { SAML, ValidateInResponseTo } = await import('@node-saml/node-saml');
    return new SAML({
      issuer: self.entityId,
      audience: self.entityId,
      callbackUrl: self.acsUrl,
      entryPoint: provider.sso_url,
      idpCert: await findCertificate(),
      identifierFormat: PERSISTENT,
      disableRequestedAuthnContext: true,
      wantAssertionsSigned: true,
      wantAuthnResponseSigned: false,
      acceptedClockSkewMs: SKEW_MS,
      maxAssertionAgeMs: MAX_AGE_MS,
      // The one expected request is compared below, because the library would keep all requests in memory.
      validateInResponseTo: ValidateInResponseTo.never,
      generateUniqueId: () => requestId,
    });
  }

  return {
    id: provider.id,
    domains: provider.domains,
    startUrl: async ({ requestId, relayState }) =>
      (await open(requestId)).getAuthorizeUrlAsync(relayState, undefined, {}),
    async read(response, requestId) {
      const xml = Buffer.from(response, 'base64').toString('utf8');
      const fault = findTextFault(response, xml);
      if (fault !== null) throw refuse(fault);
      const saml = await open(requestId);
      const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: response }).catch((error: unknown) => {
        throw refuse('assertion_refused', error);
      });
      if (!profile?.nameID) throw refuse('no_assertion');
      if (profile.issuer !== provider.entity_id) throw refuse('another_issuer');
      const { id, expiresAt } = readConfirmation(profile, self, requestId) ?? {};
      if (id === undefined || expiresAt === undefined) throw refuse('not_for_this_request');
      return { user: readUser(profile, provider), id, expiresAt };
    },
  };
}

/** Rejects text before it is parsed as XML: text that is too large, has a DTD or entities, or is signed with a weak hash. */
function findTextFault(response: string, xml: string): string | null {
  if (response.length > MAX_LENGTH) return 'too_large';
  if (/<!(DOCTYPE|ENTITY)/i.test(xml)) return 'doctype';
  if (/xmldsig#(rsa-|hmac-)?sha1|xmldsig-more#rsa-md5/.test(xml)) return 'weak_signature';
  return null;
}

const confirmationSchema = z.object({
  Assertion: z.object({
    $: z.object({ ID: z.string().min(1) }),
    Subject: z.tuple([
      z.object({
        SubjectConfirmation: z.tuple([
          z.object({
            $: z.object({ Method: z.literal('urn:oasis:names:tc:SAML:2.0:cm:bearer') }),
            SubjectConfirmationData: z.tuple([
              z.object({ $: z.object({ Recipient: z.string(), InResponseTo: z.string(), NotOnOrAfter: z.string() }) }),
            ]),
          }),
        ]),
      }),
    ]),
  }),
});

/** Reads id and expiry of an assertion. Returns null unless it was made for this site and this request (SAML 2.0 Profiles, 4.1.4.3). */
function readConfirmation(
  profile: Profile,
  self: SamlServiceProvider,
  requestId: string,
): { id: string; expiresAt: Date } | null {
  const parsed = confirmationSchema.safeParse(profile.getAssertion?.());
  if (!parsed.success) return null;
  const { Assertion: assertion } = parsed.data;
  const data = assertion.Subject[0].SubjectConfirmation[0].SubjectConfirmationData[0].$;
  if (data.Recipient !== self.acsUrl || data.InResponseTo !== requestId) return null;
  const expires = Date.parse(data.NotOnOrAfter);
  return Number.isNaN(expires) ? null : { id: assertion.$.ID, expiresAt: new Date(expires + SKEW_MS) };
}

function readUser(profile: Profile, { attributes, entity_id: issuer }: SamlProvider): ProviderUser {
  const first = (names: readonly (string | undefined)[]): string | null => {
    const found = names
      .map((name) => (name !== undefined && Object.hasOwn(profile, name) ? profile[name] : undefined))
      .find((value) => typeof value === 'string');
    return typeof found === 'string' && found.trim() !== '' ? found.trim() : null;
  };
  const byName = profile.nameIDFormat?.endsWith(':emailAddress') ? profile.nameID : null;
  const name = first([attributes.name, ...NAME_NAMES]);
  return {
    subject: profile.nameID,
    email: (first([attributes.email, ...EMAIL_NAMES]) ?? byName)?.toLowerCase() ?? null,
    emailVerified: true,
    claims: { iss: issuer, ...(name === null ? {} : { name }) },
  };
}

async function readCertificate(name: string, certificate: string): Promise<string> {
  if (!/^https?:\/\//.test(certificate)) return certificate;
  try {
    const response = await fetch(certificate, { signal: AbortSignal.timeout(PROVIDER_TIMEOUT_MS), redirect: 'error' });
    if (response.ok) return await response.text();
    throw new Error(`status ${response.status}`);
  } catch (cause) {
    throw new ProviderError(name, 'no_certificate', { retryable: true }, cause);
  }
}
