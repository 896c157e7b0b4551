import { z } from 'zod';

/** A credential in its stored JSON form, which has only texts and numbers. */
export type StoredCredential = {
  readonly id: string;
  /** base64url of the COSE key. */
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: readonly string[];
};

/** `passkey`: signs in alone, so user verification is required. `factor`: a second factor after a password. */
export type CredentialUse = 'passkey' | 'factor';

/** A base64url text from an authenticator. */
export const base64Text = z.string().min(1).max(20_000);

const credentialId = z.string().regex(/^[\w-]{1,1400}$/);
/** The fields that registrations and assertions share. */
export const credentialFields = {
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key'),
  authenticatorAttachment: z.enum(['platform', 'cross-platform']).nullish(),
  clientExtensionResults: z.record(z.string(), z.unknown()).nullish(),
};
