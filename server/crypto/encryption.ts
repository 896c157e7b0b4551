import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Encrypts secrets that must be readable again (AES-256-GCM, NIST SP 800-38D). */
export type Encryption = {
  /** `context` binds the result to its row: decryption fails in any other row. */
  encrypt(text: string, context: string): string;
  /** Throws when the text was encrypted with another key or for another context. */
  decrypt(encrypted: string, context: string): string;
};

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts with a key of 32 secret bytes, used for nothing else. The result is nonce, tag and ciphertext in base64url. */
export function createEncryption(key: Uint8Array): Encryption {
  return {
    encrypt(text, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
    },
    decrypt(encrypted, context) {
      const bytes = Buffer.from(encrypted, 'base64url');
      const options = { authTagLength: TAG_BYTES };
      const cipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), options);
      cipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([cipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), cipher.final()]).toString('utf8');
    },
  };
}
