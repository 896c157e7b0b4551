import { createHmac } from 'node:crypto';

/** Computes a keyed hash that finds a secret again without storing it. Nobody can reverse it without the key. */
export type Fingerprint = (text: string) => string;

/** Computes fingerprints with a key of 32 secret bytes, used for nothing else. The result is in base64url. */
export function createFingerprint(key: Uint8Array): Fingerprint {
  return (text) => createHmac('sha256', key).update(text).digest('base64url');
}
