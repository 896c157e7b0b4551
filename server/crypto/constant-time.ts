import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares two secrets in constant time, so that the duration reveals neither where they differ nor the length of the expected secret. */
export function equalInConstantTime(given: string | Uint8Array, expected: string | Uint8Array): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

/** Hashes a secret, because `timingSafeEqual` accepts only values of equal length. */
const digest = (value: string | Uint8Array): Buffer => createHash('sha256').update(value).digest();
