import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { z } from 'zod';

/** This site, as authenticators know it (WebAuthn, section 5.4.2). */
export type RelyingParty = { readonly id: string; readonly name: string; readonly origins: readonly string[] };

/** A credential as stored in JSON: text and numbers only. */
export type StoredCredential = {
  readonly id: string;
  /** base64url of the COSE key. */
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: readonly string[];
};
export type NewCredential = StoredCredential & {
  readonly aaguid: string;
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
};

/** `key`: a passkey that signs in alone, so user verification is required. `factor`: a second factor after a password. */
export type Use = 'key' | 'factor';

/** EdDSA, ES256 and RS256 in COSE numbers. Every authenticator supports one of them. */
const ALGORITHMS = [-8, -7, -257] as const;

const text = z.string().min(1).max(20_000);
const id = z.string().regex(/^[\w-]{1,1400}$/);
const shared = {
  id,
  rawId: id,
  type: z.literal('public-key'),
  authenticatorAttachment: z.enum(['platform', 'cross-platform']).nullish(),
  clientExtensionResults: z.record(z.string(), z.unknown()).nullish(),
};
const registrationSchema = z.object({
  ...shared,
  response: z.object({
    clientDataJSON: text,
    attestationObject: text,
    transports: z.array(z.string().max(40)).max(10).nullish(),
  }),
});
const assertionSchema = z.object({
  ...shared,
  response: z.object({
    clientDataJSON: text,
    authenticatorData: text,
    signature: text,
    userHandle: z.string().max(200).nullish(),
  }),
});

type Holder = { readonly id: string; readonly name: string };

export function registrationOptions(
  party: RelyingParty,
  holder: Holder,
  known: readonly Pick<StoredCredential, 'id' | 'transports'>[],
  use: Use,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  return generateRegistrationOptions({
    rpName: party.name,
    rpID: party.id,
    userID: new TextEncoder().encode(holder.id),
    userName: holder.name,
    userDisplayName: holder.name,
    attestationType: 'none',
    supportedAlgorithmIDs: [...ALGORITHMS],
    excludeCredentials: known.map((one) => ({ id: one.id, transports: [...one.transports] })),
    authenticatorSelection:
      use === 'key'
        ? { residentKey: 'required', requireResidentKey: true, userVerification: 'required' }
        : { residentKey: 'discouraged', userVerification: 'preferred' },
  });
}

/** Verifies a registration answer. Returns the new credential; null when anything is wrong. */
export async function readRegistration(
  party: RelyingParty,
  sent: unknown,
  challenge: string,
  use: Use,
): Promise<NewCredential | null> {
  const parsed = registrationSchema.safeParse(sent);
  if (!parsed.success) return null;
  const { clientExtensionResults: _extensions, authenticatorAttachment: _attachment, ...answer } = parsed.data;
  const transports = answer.response.transports ?? [];
  const response: RegistrationResponseJSON = {
    ...answer,
    response: {
      clientDataJSON: answer.response.clientDataJSON,
      attestationObject: answer.response.attestationObject,
    },
    clientExtensionResults: {},
  };
  try {
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: [...party.origins],
      expectedRPID: party.id,
      requireUserVerification: use === 'key',
      supportedAlgorithmIDs: [...ALGORITHMS],
    });
    if (!registrationInfo) return null;
    const { credential } = registrationInfo;
    return {
      id: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      transports,
      aaguid: registrationInfo.aaguid,
      backupEligible: registrationInfo.credentialDeviceType === 'multiDevice',
      backedUp: registrationInfo.credentialBackedUp,
    };
  } catch {
    return null; // forged, for another site or another challenge: the client learns only that it was refused
  }
}

/** Creates options for a sign-in. `known`: the keys that may answer; when empty, the authenticator offers its keys for this site. */
export function requestOptions(
  party: RelyingParty,
  known: readonly Pick<StoredCredential, 'id' | 'transports'>[],
  use: Use,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  return generateAuthenticationOptions({
    rpID: party.id,
    userVerification: use === 'key' ? 'required' : 'preferred',
    ...(known.length === 0
      ? {}
      : { allowCredentials: known.map((one) => ({ id: one.id, transports: [...one.transports] })) }),
  });
}

/** Reads which credential and user an answer names, for the lookup before the check. Returns null when it is malformed. */
export function readClaim(sent: unknown): { credentialId: string; userHandle: string | null } | null {
  const parsed = assertionSchema.safeParse(sent);
  if (!parsed.success) return null;
  const handle = parsed.data.response.userHandle ?? null;
  return {
    credentialId: parsed.data.id,
    userHandle: handle === null ? null : Buffer.from(handle, 'base64url').toString('utf8'),
  };
}

/** Verifies a sign-in answer. Returns the new counter; null when anything is wrong, including a counter that went back. */
export async function readAssertion(
  party: RelyingParty,
  sent: unknown,
  challenge: string,
  credential: StoredCredential,
  use: Use,
): Promise<{ counter: number; backedUp: boolean } | null> {
  const parsed = assertionSchema.safeParse(sent);
  if (!parsed.success || parsed.data.id !== credential.id) return null;
  const { clientDataJSON, authenticatorData, signature, userHandle } = parsed.data.response;
  const response: AuthenticationResponseJSON = {
    id: parsed.data.id,
    rawId: parsed.data.rawId,
    type: 'public-key',
    response: { clientDataJSON, authenticatorData, signature, ...(userHandle ? { userHandle } : {}) },
    clientExtensionResults: {},
  };
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: [...party.origins],
      expectedRPID: party.id,
      requireUserVerification: use === 'key',
      credential: {
        id: credential.id,
        publicKey: Buffer.from(credential.publicKey, 'base64url'),
        counter: credential.counter,
      },
    });
    return verified
      ? { counter: authenticationInfo.newCounter, backedUp: authenticationInfo.credentialBackedUp }
      : null;
  } catch {
    return null; // as in readRegistration
  }
}
