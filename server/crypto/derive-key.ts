import { hkdfSync } from 'node:crypto';

/** Derives 32 secret bytes for a purpose (HKDF, RFC 5869). `secret`: at least 32 bytes. */
export function deriveKey(secret: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32));
}

/**
 * Derives a private key for a curve with `order` points, as 32 bytes: a number from 1 to `order` - 1. It is computed from 16 extra bytes,
 * which make all numbers equally likely (FIPS 186-5, appendix A.2.1).
 */
export function deriveScalar(secret: Uint8Array, purpose: string, order: bigint): Uint8Array {
  const wide = Buffer.from(hkdfSync('sha256', secret, '', purpose, 48));
  const scalar = (BigInt(`0x${wide.toString('hex')}`) % (order - 1n)) + 1n;
  return Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex');
}
