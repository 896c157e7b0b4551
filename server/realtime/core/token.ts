import type { TokenFault } from './refusals.ts';

export type TokenVerifier = {
  /** Returns the claims of a valid token, or null. */
  verify(token: string, now: Date): Promise<Readonly<Record<string, unknown>> | null>;
  /** Returns the public keys that may have signed tokens, in addition to the shared secret (HS256). */
  jwks(): { readonly keys: readonly { readonly kid?: string; readonly alg?: string }[] };
};

/** A verified caller of a channel. */
export type Member = {
  /** The token as sent. */
  readonly token: string;
  readonly role: string;
  readonly claims: Readonly<Record<string, unknown>>;
  /** Equal for tokens that differ only in their times, because policies treat such tokens alike. */
  readonly identity: string;
  readonly sessionId: string | null;
  /** The expiry of the token, in milliseconds. */
  readonly expiresAt: number;
};

export const isFault = (result: Member | TokenFault): result is TokenFault => 'code' in result;

/** Verifies a token. Unlike the other APIs, this one reports why it refuses a token. */
export async function readMember(tokens: TokenVerifier, token: string, now: Date): Promise<Member | TokenFault> {
  const [, headPart, claimsPart] = /^([\w-]+)\.([\w-]+)\.[\w-]+$/.exec(token) ?? [];
  const [head, unverified] = [readPart(headPart), readPart(claimsPart)];
  if (!head || !unverified || !isTime(unverified['iat'])) return MALFORMED;
  const { role, exp } = unverified;
  if (typeof role !== 'string' || role === '' || exp === undefined)
    return { code: 'InvalidJWTToken', message: 'Fields `role` and `exp` are required in JWT' };
  if (typeof exp !== 'number' || !Number.isFinite(exp))
    return { code: 'InvalidJWTToken', message: 'Token expiration time is invalid' };
  const late = now.getTime() / 1000 - exp;
  if (late >= 0) return { code: 'InvalidJWTToken', message: `Token has expired ${Math.floor(late)} seconds ago` };
  if (!hasKey(tokens, head)) return signerFault(head);
  const claims = await tokens.verify(token, now);
  if (!claims) return { code: 'JwtSignatureError', message: 'Failed to validate JWT signature' };
  const { exp: _exp, iat: _iat, ...lasting } = claims;
  const session = claims['session_id'];
  return {
    token,
    role,
    claims,
    identity: JSON.stringify(lasting),
    sessionId: typeof session === 'string' && session !== '' ? session : null,
    expiresAt: exp * 1000,
  };
}

const MALFORMED: TokenFault = { code: 'MalformedJWT', message: 'The token provided is not a valid JWT' };

const isTime = (value: unknown): boolean => value === undefined || typeof value === 'number';

/** Whether there is a key for the algorithm and key id of a token's header. */
function hasKey({ jwks }: TokenVerifier, { alg, kid }: Readonly<Record<string, unknown>>): boolean {
  if (alg === 'HS256') return true;
  return jwks().keys.some((key) => key.alg === alg && (kid === undefined || key.kid === kid));
}

function signerFault({ kid }: Readonly<Record<string, unknown>>): TokenFault {
  const key = typeof kid === 'string' ? ` for key ID (kid) ${JSON.stringify(kid.slice(0, KID_SHOWN_MAX))}` : '';
  return {
    code: 'JwtSignerError',
    message: `Failed to generate JWT signer${key}, check your JWT secret or JWKS configuration`,
  };
}

const KID_SHOWN_MAX = 100;

function readPart(part: string | undefined): Readonly<Record<string, unknown>> | null {
  if (part === undefined) return null;
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
