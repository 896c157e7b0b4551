import { createHmac } from 'node:crypto';

/** Computes a keyed hash by which a secret can be looked up without being stored. It cannot be reversed without the key. */
export type Fingerprint = ((text: string) => string) & {
  /** Returns the fingerprint with each accepted key, the current key first, to look up secrets that were stored with an earlier key. */
  readonly all: (text: string) => readonly string[];
};

/** Creates fingerprints in base64url. Each key has 32 secret bytes and must not be used for other purposes. */
export function createFingerprint(current: Uint8Array, ...earlier: readonly Uint8Array[]): Fingerprint {
  const hash = (key: Uint8Array, text: string): string => createHmac('sha256', key).update(text).digest('base64url');
  return Object.assign((text: string) => hash(current, text), {
    all: (text: string) => [current, ...earlier].map((key) => hash(key, text)),
  });
}
