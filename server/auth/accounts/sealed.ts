import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Keys } from '#server/crypto/keys.ts';

/** Keeps what must be read again, and by nobody else, unreadable at rest (AES-256-GCM, NIST SP 800-38D). */
export type Sealed = {
  /** `context` binds the sealed text to its row, so that it cannot be moved to another. */
  seal(text: string, context: string): string;
  /** Throws when it was sealed with another key or for another context. */
  open(sealed: string, context: string): string;
};

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function createSealed(keys: Keys, purpose: string): Sealed {
  const key = keys.derive(purpose);
  return {
    seal(text, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
    },
    open(sealed, context) {
      const bytes = Buffer.from(sealed, 'base64url');
      const options = { authTagLength: TAG_BYTES };
      const cipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), options);
      cipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([cipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), cipher.final()]).toString('utf8');
    },
  };
}
