import { timingSafeEqual } from 'node:crypto';
import type { Keys } from '#server/crypto/keys.ts';

/** Refresh tokens are not stored: a token is its session's id, its number and a keyed mark. */
export type RefreshTokens = {
  write(sessionId: string, generation: number): string;
  /** Null for whatever we did not write. */
  read(token: string): { readonly sessionId: string; readonly generation: number } | null;
};

const MARK_BYTES = 16;
const BYTES = 20 + MARK_BYTES;

export function createRefreshTokens(keys: Keys): RefreshTokens {
  const mark = (sessionId: string, generation: number): Buffer =>
    keys.hmac('refresh-token', `${sessionId}:${generation}`).subarray(0, MARK_BYTES);
  return {
    write(sessionId, generation) {
      const bytes = Buffer.alloc(BYTES);
      bytes.write(sessionId.replaceAll('-', ''), 0, 'hex');
      bytes.writeUInt32BE(generation, 16);
      mark(sessionId, generation).copy(bytes, 20);
      return bytes.toString('base64url');
    },
    read(token) {
      const bytes = Buffer.from(token, 'base64url');
      if (bytes.length !== BYTES) return null;
      const hex = bytes.subarray(0, 16).toString('hex');
      const sessionId = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
      const generation = bytes.readUInt32BE(16);
      return timingSafeEqual(bytes.subarray(20), mark(sessionId, generation)) ? { sessionId, generation } : null;
    },
  };
}
