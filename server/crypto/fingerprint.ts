import { createHmac } from 'node:crypto';

/** Computes a keyed hash that finds a secret again without storing it. Nobody can reverse it without the key. */
export type Fingerprint = ((text: string) => string) & {
  /** The fingerprints of every accepted key, the current one first: what an earlier key stored is found too. */
  readonly all: (text: string) => readonly string[];
};

/** Computes fingerprints with keys of 32 secret bytes, used for nothing else. The result is in base64url. */
export function createFingerprint(current: Uint8Array, ...earlier: readonly Uint8Array[]): Fingerprint {
  const one = (key: Uint8Array, text: string): string => createHmac('sha256', key).update(text).digest('base64url');
  return Object.assign((text: string) => one(current, text), {
    all: (text: string) => [current, ...earlier].map((key) => one(key, text)),
  });
}
