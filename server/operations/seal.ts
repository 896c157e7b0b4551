import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/** Keeps door codes unreadable at rest; `context` binds a sealed text to its row, so it cannot be moved to another. */
export type Sealer = {
  seal(text: string, context: string): string;
  /** Throws when the text was sealed with another key or for another context. */
  open(sealed: string, context: string): string;
  /** The same digits give the same print; nobody without the key can go back. */
  print(text: string): string;
};

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** `key`: at least 32 secret bytes. AES-256-GCM (NIST SP 800-38D), keys parted by HKDF. */
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

/** Signed words for links in mails: `<subject>.<expiry>.<mark>`; good for one purpose only. */
export type LinkSigner = {
  sign(purpose: string, subject: string, expires: Date): string;
  /** The subject, or null when the token is forged, for another purpose, or over. */
  read(purpose: string, token: string, now: Date): string | null;
};

export function createLinkSigner(key: Uint8Array): LinkSigner {
  const linkKey = Buffer.from(hkdfSync('sha256', key, '', 'mail-link', 32));
  const mark = (purpose: string, subject: string, seconds: number): string =>
    createHmac('sha256', linkKey).update(`${purpose}\n${subject}\n${seconds}`).digest('base64url');
  return {
    sign(purpose, subject, expires) {
      const seconds = Math.floor(expires.getTime() / 1000);
      return `${subject}.${seconds}.${mark(purpose, subject, seconds)}`;
    },
    read(purpose, token, now) {
      const [subject = '', seconds = '', given = ''] = token.split('.');
      const expires = Number(seconds);
      if (!/^\d{1,12}$/.test(seconds) || expires * 1000 <= now.getTime()) return null;
      return equal(given, mark(purpose, subject, expires)) ? subject : null;
    },
  };
}

/** Compares without telling by its duration where two texts differ. */
function equal(given: string, wanted: string): boolean {
  let difference = given.length ^ wanted.length;
  for (let at = 0; at < wanted.length; at += 1) difference |= (given.charCodeAt(at) || 0) ^ wanted.charCodeAt(at);
  return difference === 0;
}
