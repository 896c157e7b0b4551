import type { Keys } from '#server/crypto/keys.ts';

/**
 * Codes and link tokens, derived from the id of their message. They are never stored: the database holds only keyed hashes.
 * A repeated message contains the same code.
 */
export type OneTimeCodes = {
  /** Returns the digits for a message. */
  codeOf(messageId: string): string;
  /** Returns the link token for a message. */
  tokenOf(messageId: string): string;
  codeHash(userId: string, code: string): string;
  tokenHash(token: string): string;
};

export function createOneTimeCodes(dependencies: { keys: Keys; length: number }): OneTimeCodes {
  const { keys, length } = dependencies;
  return {
    codeOf: (id) => String(keys.hmac('mail-code', id).readUIntBE(0, 6) % 10 ** length).padStart(length, '0'),
    tokenOf: (id) => keys.hmac('mail-token', id).toString('base64url'),
    codeHash: (userId, code) => keys.hmac('code-hash', `${userId}:${code}`).toString('base64url'),
    tokenHash: (token) => keys.hmac('token-hash', token).toString('base64url'),
  };
}
