import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Encrypts secrets that must be readable again (AES-256-GCM, NIST SP 800-38D). */
export type Encryption = {
  /** `context` binds the result to its row: decryption fails in any other row. */
  encrypt(text: string, context: string): string;
  /** Throws if the text was encrypted with another key or for another context. */
  decrypt(encrypted: string, context: string): string;
  /** Returns the text encrypted with the current key, or null if it is already. Throws like `decrypt`. */
  renew(encrypted: string, context: string): string | null;
};

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts with the first key and decrypts with any of them. Each key has 32 secret bytes and must not be used for other purposes. The
 * result is nonce, tag and ciphertext in base64url.
 */
export function createEncryption(...keys: readonly Uint8Array[]): Encryption {
  const [current] = keys;
  if (!current) throw new Error('there is no key to encrypt with');
  const encrypt = (text: string, context: string): string => encryptWith(current, text, context);
  return {
    encrypt,
    decrypt: (encrypted, context) => decryptWith(keys, encrypted, context).text,
    renew(encrypted, context) {
      const { text, key } = decryptWith(keys, encrypted, context);
      return key === current ? null : encrypt(text, context);
    },
  };
}

function encryptWith(key: Uint8Array, text: string, context: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
}

/** Tries each key. Throws the last key's error if all fail. */
function decryptWith(
  keys: readonly Uint8Array[],
  encrypted: string,
  context: string,
): { readonly text: string; readonly key: Uint8Array } {
  const bytes = Buffer.from(encrypted, 'base64url');
  const options = { authTagLength: TAG_BYTES };
  for (const [index, key] of keys.entries()) {
    try {
      const cipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), options);
      cipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const body = Buffer.concat([cipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), cipher.final()]);
      return { text: body.toString('utf8'), key };
    } catch (error) {
      if (index === keys.length - 1) throw error;
    }
  }
  throw new Error('there is no key to decrypt with');
}
