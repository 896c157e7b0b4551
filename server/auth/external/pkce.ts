import { createHash } from 'node:crypto';
import { equalInConstantTime } from '#server/crypto/constant-time.ts';
import { refuse } from '../core/errors.ts';

/** Binds a code to the client that requested it (RFC 7636). Null in the implicit flow. */
export type Challenge = { readonly text: string; readonly method: 's256' | 'plain' } | null;

/**
 * Reads `code_challenge` and `code_challenge_method`. Returns null if both are missing. Throws if only one is present or one is invalid.
 */
export function readChallenge(text: string | null | undefined, method: string | null | undefined): Challenge {
  if (!text && !method) return null;
  if (!text || !method) throw refuse.validation('PKCE flow requires code_challenge_method and code_challenge');
  const lower = method.toLowerCase();
  if (lower !== 's256' && lower !== 'plain')
    throw refuse.validation(`unsupported code_challenge method "${method.slice(0, 20)}"`);
  if (text.length < 43 || text.length > 128)
    throw refuse.validation('code challenge has to be between 43 and 128 characters');
  if (!/^[\w.~-]+$/.test(text))
    throw refuse.validation(
      'code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes',
    );
  return { text, method: lower };
}

/** Whether a verifier belongs to a challenge (RFC 7636, section 4.6). */
export function matchesChallenge(verifier: string, challenge: NonNullable<Challenge>): boolean {
  const derived = challenge.method === 'plain' ? verifier : createHash('sha256').update(verifier).digest('base64url');
  return equalInConstantTime(derived, challenge.text);
}
