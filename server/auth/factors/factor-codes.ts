import type { AuthContext } from '../core/context.ts';

/** Returns the digits that are texted for a challenge. They are derived from its id, so the database holds no readable code. */
export function factorCode({ keys }: AuthContext, challengeId: string): string {
  return String(keys.hmac('factor-message', challengeId).readUIntBE(0, 6) % 1_000_000).padStart(6, '0');
}

/** Returns the hash under which the code of a challenge is stored. */
export function factorCodeHash({ keys }: AuthContext, challengeId: string, code: string): string {
  return keys.hmac('factor-code', `${challengeId}:${code}`).toString('base64url');
}
