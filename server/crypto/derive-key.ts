import { hkdfSync } from 'node:crypto';

/** Derives 32 secret bytes for a purpose (HKDF, RFC 5869). `secret`: at least 32 bytes. */
export function deriveKey(secret: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32));
}
