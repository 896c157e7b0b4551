import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares two secrets in constant time, so that the duration reveals neither where they differ nor how long the expected one is. */
export function equalInConstantTime(given: string | Uint8Array, expected: string | Uint8Array): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

/** `timingSafeEqual` accepts only equal lengths: compare hashes. */
const digest = (value: string | Uint8Array): Buffer => createHash('sha256').update(value).digest();
