import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts access codes at rest. `context` binds a ciphertext to its row, so that it cannot be moved to another. */
export type Sealer = {
  seal(text: string, context: string): string;
  /** Decrypts. Throws when the text was encrypted with another key or for another context. */
  open(sealed: string, context: string): string;
  /** Computes a keyed hash: equal digits have equal fingerprints, which nobody can reverse without the key. */
  print(text: string): string;
};

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts with AES-256-GCM (NIST SP 800-38D). `key`: at least 32 secret bytes; HKDF derives one key for each purpose. */
export function createSealer(key: Uint8Array): Sealer {
  const sealKey = Buffer.from(hkdfSync('sha256', key, '', 'door-code-seal', 32));
  const printKey = Buffer.from(hkdfSync('sha256', key, '', 'door-code-print', 32));
  return {
    seal(text, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', sealKey, nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
    },
    open(sealed, context) {
      const bytes = Buffer.from(sealed, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', sealKey, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString(
        'utf8',
      );
    },
    print: (text) => createHmac('sha256', printKey).update(text).digest('base64url'),
  };
}

/** Signs tokens for links in mails: `<subject>.<expiry>.<signature>`, valid for one purpose only. */
export type LinkSigner = {
  sign(purpose: string, subject: string, expires: Date): string;
  /** Returns the subject, or null when the token is forged, expired or for another purpose. */
  read(purpose: string, token: string, now: Date): string | null;
};

export function createLinkSigner(key: Uint8Array): LinkSigner {
  const linkKey = Buffer.from(hkdfSync('sha256', key, '', 'mail-link', 32));
  const signatureOf = (purpose: string, subject: string, seconds: number): string =>
    createHmac('sha256', linkKey).update(`${purpose}\n${subject}\n${seconds}`).digest('base64url');
  return {
    sign(purpose, subject, expires) {
      const seconds = Math.floor(expires.getTime() / 1000);
      return `${subject}.${seconds}.${signatureOf(purpose, subject, seconds)}`;
    },
    read(purpose, token, now) {
      const [subject = '', seconds = '', given = ''] = token.split('.');
      const expires = Number(seconds);
      if (!/^\d{1,12}$/.test(seconds) || expires * 1000 <= now.getTime()) return null;
      return equal(given, signatureOf(purpose, subject, expires)) ? subject : null;
    },
  };
}

/** Compares in constant time, so that the duration does not reveal where the texts differ. */
function equal(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length;
  for (let at = 0; at < expected.length; at += 1) difference |= (given.charCodeAt(at) || 0) ^ expected.charCodeAt(at);
  return difference === 0;
}
