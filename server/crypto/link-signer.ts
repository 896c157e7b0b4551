import { createHmac } from 'node:crypto';
import { equalInConstantTime } from './constant-time.ts';

/** Signs tokens for links in mails: `<subject>.<expiry>.<signature>`, valid for one purpose only. */
export type LinkSigner = {
  sign(purpose: string, subject: string, expires: Date): string;
  /** Returns the subject, or null if the token is forged, expired or for another purpose. */
  read(purpose: string, token: string, now: Date): string | null;
};

/**
 * Signs with the `current` key and accepts tokens signed with `earlier` keys. Each key has 32 secret bytes and must not be used for other
 * purposes.
 */
export function createLinkSigner(current: Uint8Array, ...earlier: readonly Uint8Array[]): LinkSigner {
  const getSignature = (key: Uint8Array, purpose: string, subject: string, seconds: number): string =>
    createHmac('sha256', key).update(`${purpose}\n${subject}\n${seconds}`).digest('base64url');
  return {
    sign(purpose, subject, expires) {
      const seconds = Math.floor(expires.getTime() / 1000);
      return `${subject}.${seconds}.${getSignature(current, purpose, subject, seconds)}`;
    },
    read(purpose, token, now) {
      const [subject = '', seconds = '', given = ''] = token.split('.');
      const expires = Number(seconds);
      if (!/^\d{1,12}$/.test(seconds) || expires * 1000 <= now.getTime()) return null;
      const signed = [current, ...earlier].some((key) =>
        equalInConstantTime(given, getSignature(key, purpose, subject, expires)),
      );
      return signed ? subject : null;
    },
  };
}
