import type { Keys } from '#server/crypto/keys.ts';

/**
 * Codes and link tokens. They are derived from the id of what asked for them and never stored: whoever reads the database finds keyed
 * hashes only, and a repeated message is word for word the same.
 */
export type OneTimeCodes = {
  /** The digits for a message. */
  codeOf(messageId: string): string;
  /** The token for a message's link. */
  tokenOf(messageId: string): string;
  codeHash(userId: string, code: string): string;
  tokenHash(token: string): string;
};

export function createOneTimeCodes(parts: { keys: Keys; length: number }): OneTimeCodes {
  const { keys, length } = parts;
  return {
    codeOf: (id) => String(keys.hmac('mail-code', id).readUIntBE(0, 6) % 10 ** length).padStart(length, '0'),
    tokenOf: (id) => keys.hmac('mail-token', id).toString('base64url'),
    codeHash: (userId, code) => keys.hmac('code-hash', `${userId}:${code}`).toString('base64url'),
    tokenHash: (token) => keys.hmac('token-hash', token).toString('base64url'),
  };
}
