import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import type { RelyingParty } from '../core/config.ts';
import { base64Text, credentialFields, type CredentialUse, type StoredCredential } from './credential.ts';
import { loadWebauthn } from './library.ts';

const assertionSchema = z.object({
  ...credentialFields,
  response: z.object({
    clientDataJSON: base64Text,
    authenticatorData: base64Text,
    signature: base64Text,
    userHandle: z.string().max(200).nullish(),
  }),
});

/**
 * Creates options for a sign-in. `existing`: the keys that may answer. If there are none, the authenticator offers all its keys for this
 * site.
 */
export async function requestOptions(
  party: RelyingParty,
  existing: readonly Pick<StoredCredential, 'id' | 'transports'>[],
  use: CredentialUse,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await loadWebauthn();
  return generateAuthenticationOptions({
    rpID: party.id,
    userVerification: use === 'passkey' ? 'required' : 'preferred',
    ...(existing.length === 0
      ? {}
      : {
          allowCredentials: existing.map((credential) => ({
            id: credential.id,
            transports: [...credential.transports],
          })),
        }),
  });
}

/** Reads the credential and the user that an answer names, for the lookup before the check. Returns null if the answer is malformed. */
export function readClaim(sent: unknown): { credentialId: string; userHandle: string | null } | null {
  const parsed = assertionSchema.safeParse(sent);
  if (!parsed.success) return null;
  const handle = parsed.data.response.userHandle ?? null;
  return {
    credentialId: parsed.data.id,
    userHandle: handle === null ? null : Buffer.from(handle, 'base64url').toString('utf8'),
  };
}

/** Verifies a sign-in answer. Returns the new counter, or null if the answer is wrong in any way, for example if its counter went back. */
export async function readAssertion(
  party: RelyingParty,
  sent: unknown,
  challenge: string,
  credential: StoredCredential,
  use: CredentialUse,
): Promise<{ counter: number; backedUp: boolean } | null> {
  const response = readResponse(sent);
  if (response?.id !== credential.id) return null;
  const { verifyAuthenticationResponse } = await loadWebauthn();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: [...party.origins],
      expectedRPID: party.id,
      requireUserVerification: use === 'passkey',
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

/** Reads an answer without its extensions, which we do not use. */
function readResponse(sent: unknown): AuthenticationResponseJSON | null {
  const parsed = assertionSchema.safeParse(sent);
  if (!parsed.success) return null;
  const { id, rawId } = parsed.data;
  const { clientDataJSON, authenticatorData, signature, userHandle } = parsed.data.response;
  return {
    id,
    rawId,
    type: 'public-key',
    response: { clientDataJSON, authenticatorData, signature, ...(userHandle ? { userHandle } : {}) },
    clientExtensionResults: {},
  };
}
