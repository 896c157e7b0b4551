import { createEncryption, type Encryption } from '#server/crypto/encryption.ts';
import type { AuthContext } from '../core/context.ts';

/** Returns the encryption of stored TOTP secrets. The context of a secret is the id of its factor. */
export function totpEncryption({ keys }: AuthContext): Encryption {
  return createEncryption(...keys.deriveAll('totp-secret'));
}
