import { createEncryption, type Encryption } from '#server/crypto/encryption.ts';
import type { Needs } from '../core/context.ts';

/** Returns the encryption of stored TOTP secrets. The context of a secret is the id of its factor. */
export function totpEncryption({ keys }: Needs<'keys'>): Encryption {
  return createEncryption(...keys.deriveAll('totp-secret'));
}
