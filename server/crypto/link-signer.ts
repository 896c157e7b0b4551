import { createHmac } from 'node:crypto';
import { equalInConstantTime } from './constant-time.ts';

/** Signs tokens for links in mails: `<subject>.<expiry>.<signature>`, valid for one purpose only. */
export type LinkSigner = {
  sign(purpose: string, subject: string, expires: Date): string;
  /** Returns the subject, or null when the token is forged, expired or for another purpose. */
  read(purpose: string, token: string, now: Date): string | null;
};

/** Signs with a key of 32 secret bytes, used for nothing else. */
export function createLinkSigner(key: Uint8Array): LinkSigner {
  const signatureOf = (purpose: string, subject: string, seconds: number): string =>
    createHmac('sha256', key).update(`${purpose}\n${subject}\n${seconds}`).digest('base64url');
  return {
    sign(purpose, subject, expires) {
      const seconds = Math.floor(expires.getTime() / 1000);
      return `${subject}.${seconds}.${signatureOf(purpose, subject, seconds)}`;
    },
    read(purpose, token, now) {
      const [subject = '', seconds = '', given = ''] = token.split('.');
      const expires = Number(seconds);
      if (!/^\d{1,12}$/.test(seconds) || expires * 1000 <= now.getTime()) return null;
      return equalInConstantTime(given, signatureOf(purpose, subject, expires)) ? subject : null;
    },
  };
}
