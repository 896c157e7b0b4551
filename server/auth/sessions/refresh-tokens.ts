import { equalInConstantTime } from '#server/crypto/constant-time.ts';
import type { Keys } from '#server/crypto/keys.ts';

/** Refresh tokens are not stored. A token consists of its session's id, a number and a keyed hash. */
export type RefreshTokens = {
  write(sessionId: string, generation: number): string;
  /** Returns null for a token that this server did not make. */
  read(token: string): { readonly sessionId: string; readonly generation: number } | null;
};

const MAC_BYTES = 16;
const BYTES = 20 + MAC_BYTES;

export function createRefreshTokens(keys: Keys): RefreshTokens {
  const mac = (sessionId: string, generation: number): Buffer =>
    keys.hmac('refresh-token', `${sessionId}:${generation}`).subarray(0, MAC_BYTES);
  return {
    write(sessionId, generation) {
      const bytes = Buffer.alloc(BYTES);
      bytes.write(sessionId.replaceAll('-', ''), 0, 'hex');
      bytes.writeUInt32BE(generation, 16);
      mac(sessionId, generation).copy(bytes, 20);
      return bytes.toString('base64url');
    },
    read(token) {
      const bytes = Buffer.from(token, 'base64url');
      if (bytes.length !== BYTES) return null;
      const hex = bytes.subarray(0, 16).toString('hex');
      const sessionId = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
      const generation = bytes.readUInt32BE(16);
      return equalInConstantTime(bytes.subarray(20), mac(sessionId, generation)) ? { sessionId, generation } : null;
    },
  };
}
