import type {
  PublicKeyCredentialCreationOptionsJSON,
  RegistrationResponseJSON,
  VerifiedRegistrationResponse,
} from '@simplewebauthn/server';
import { z } from 'zod';
import type { RelyingParty } from '../core/config.ts';
import { base64Text, credentialFields, type CredentialUse, type StoredCredential } from './credential.ts';
import { loadWebauthn } from './library.ts';

export type NewCredential = StoredCredential & {
  readonly aaguid: string;
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
};

/** The COSE numbers of EdDSA, ES256 and RS256. Every authenticator supports at least one of them. */
const ALGORITHMS = [-8, -7, -257] as const;

const registrationSchema = z.object({
  ...credentialFields,
  response: z.object({
    clientDataJSON: base64Text,
    attestationObject: base64Text,
    transports: z.array(z.string().max(40)).max(10).nullish(),
  }),
});

/** Creates options for a registration. `existing`: the user's keys, which are not registered twice. */
export async function registrationOptions(
  party: RelyingParty,
  user: { readonly id: string; readonly name: string },
  existing: readonly Pick<StoredCredential, 'id' | 'transports'>[],
  use: CredentialUse,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await loadWebauthn();
  return generateRegistrationOptions({
    rpName: party.name,
    rpID: party.id,
    userID: new TextEncoder().encode(user.id),
    userName: user.name,
    userDisplayName: user.name,
    attestationType: 'none',
    supportedAlgorithmIDs: [...ALGORITHMS],
    excludeCredentials: existing.map((credential) => ({ id: credential.id, transports: [...credential.transports] })),
    authenticatorSelection:
      use === 'passkey'
        ? { residentKey: 'required', requireResidentKey: true, userVerification: 'required' }
        : { residentKey: 'discouraged', userVerification: 'preferred' },
  });
}

/** Verifies a registration answer. Returns the new credential, or null if the answer is wrong in any way. */
export async function readRegistration(
  party: RelyingParty,
  sent: unknown,
  challenge: string,
  use: CredentialUse,
): Promise<NewCredential | null> {
  const parsed = registrationSchema.safeParse(sent);
  if (!parsed.success) return null;
  const { id, rawId, type, response } = parsed.data;
  const { clientDataJSON, attestationObject } = response;
  const answer: RegistrationResponseJSON = {
    id,
    rawId,
    type,
    response: { clientDataJSON, attestationObject },
    clientExtensionResults: {},
  };
  const { verifyRegistrationResponse } = await loadWebauthn();
  try {
    const { registrationInfo } = await verifyRegistrationResponse({
      response: answer,
      expectedChallenge: challenge,
      expectedOrigin: [...party.origins],
      expectedRPID: party.id,
      requireUserVerification: use === 'passkey',
      supportedAlgorithmIDs: [...ALGORITHMS],
    });
    return registrationInfo ? toCredential(registrationInfo, response.transports ?? []) : null;
  } catch {
    return null; // forged, or for another site or challenge; the client learns only that the answer was refused
  }
}

function toCredential(
  info: NonNullable<VerifiedRegistrationResponse['registrationInfo']>,
  transports: readonly string[],
): NewCredential {
  const { id, publicKey, counter } = info.credential;
  return {
    id,
    publicKey: Buffer.from(publicKey).toString('base64url'),
    counter,
    transports,
    aaguid: info.aaguid,
    backupEligible: info.credentialDeviceType === 'multiDevice',
    backedUp: info.credentialBackedUp,
  };
}
