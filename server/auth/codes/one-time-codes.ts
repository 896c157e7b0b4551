import type { AuthContext } from '../core/context.ts';

/*
 * Codes and link tokens are derived from the id of their message. They are never stored: the database holds only keyed hashes.
 * A repeated message contains the same code.
 */

/** Returns the digits of a message's code. */
export function deriveCode({ keys, config }: AuthContext, messageId: string): string {
  const number = keys.hmac('mail-code', messageId).readUIntBE(0, 6) % 10 ** config.codeLength;
  return String(number).padStart(config.codeLength, '0');
}

/** Returns the link token for a message. */
export function deriveLinkToken({ keys }: AuthContext, messageId: string): string {
  return keys.hmac('mail-token', messageId).toString('base64url');
}

/** Returns the hash under which a code of an account is stored. */
export function codeHash({ keys }: AuthContext, userId: string, code: string): string {
  return keys.hmac('code-hash', `${userId}:${code}`).toString('base64url');
}

/** Returns the hashes under which a code of an account may be stored: one of each accepted key. */
export function codeHashes({ keys }: AuthContext, userId: string, code: string): string[] {
  return keys.hmacs('code-hash', `${userId}:${code}`).map((hash) => hash.toString('base64url'));
}

/** Returns the hash under which a link token is stored. */
export function linkTokenHash({ keys }: AuthContext, token: string): string {
  return keys.hmac('token-hash', token).toString('base64url');
}

/** Returns the hashes under which a link token may be stored: one of each accepted key. */
export function linkTokenHashes({ keys }: AuthContext, token: string): string[] {
  return keys.hmacs('token-hash', token).map((hash) => hash.toString('base64url'));
}
