import { equalInConstantTime } from '#server/crypto/constant-time.ts';
import type { Keys } from '#server/crypto/keys.ts';

/** The content of a refresh token. Refresh tokens are not stored: a token consists of its session's id, its generation and a keyed hash. */
export type RefreshToken = { readonly sessionId: string; readonly generation: number };

type Hmac = Pick<Keys, 'hmacs'>;

const ID_BYTES = 16;
const NUMBER_BYTES = 4;
const MAC_BYTES = 16;
const MAC_AT = ID_BYTES + NUMBER_BYTES;

export function writeRefreshToken(keys: Hmac, token: RefreshToken): string {
  const bytes = Buffer.alloc(MAC_AT + MAC_BYTES);
  bytes.write(token.sessionId.replaceAll('-', ''), 0, 'hex');
  bytes.writeUInt32BE(token.generation, ID_BYTES);
  deriveMacs(keys, token)[0]?.copy(bytes, MAC_AT);
  return bytes.toString('base64url');
}

/** Reads a refresh token. Returns null if it is malformed or was not made with an accepted key. */
export function readRefreshToken(keys: Hmac, text: string): RefreshToken | null {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== MAC_AT + MAC_BYTES) return null;
  const hex = bytes.subarray(0, ID_BYTES).toString('hex');
  const sessionId = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  const token = { sessionId, generation: bytes.readUInt32BE(ID_BYTES) };
  return deriveMacs(keys, token).some((mac) => equalInConstantTime(bytes.subarray(MAC_AT), mac)) ? token : null;
}

/** Returns a keyed hash for each accepted key; that of the current key comes first. */
function deriveMacs(keys: Hmac, { sessionId, generation }: RefreshToken): readonly Buffer[] {
  return keys.hmacs('refresh-token', `${sessionId}:${generation}`).map((mac) => mac.subarray(0, MAC_BYTES));
}
