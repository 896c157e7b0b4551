import type { TokenFault } from './refusals.ts';

/** Returns the claims of a valid token, null for any other. */
export type VerifyToken = (token: string, now: Date) => Promise<Readonly<Record<string, unknown>> | null>;

/** A verified caller of a channel. */
export type Member = {
  /** The token as sent. */
  readonly token: string;
  readonly role: string;
  readonly claims: Readonly<Record<string, unknown>>;
  /** Equal for two tokens that differ only in their times: policies cannot tell them apart. */
  readonly identity: string;
  readonly sessionId: string | null;
  /** When the token expires, in milliseconds. */
  readonly expiresAt: number;
};

export const isFault = (result: Member | TokenFault): result is TokenFault => 'code' in result;

/** Verifies a token. Unlike the other APIs, this one tells why it refuses a token. */
export async function readMember(verify: VerifyToken, token: string, now: Date): Promise<Member | TokenFault> {
  const unverified = readClaims(token);
  if (!unverified) return { code: 'MalformedJWT', message: 'The token provided is not a valid JWT' };
  const { role, exp } = unverified;
  if (typeof role !== 'string' || role === '' || exp === undefined)
    return { code: 'InvalidJWTToken', message: 'Fields `role` and `exp` are required in JWT' };
  if (typeof exp !== 'number' || !Number.isFinite(exp))
    return { code: 'InvalidJWTToken', message: 'Token expiration time is invalid' };
  const late = now.getTime() / 1000 - exp;
  if (late >= 0) return { code: 'InvalidJWTToken', message: `Token has expired ${Math.floor(late)} seconds ago` };
  const claims = await verify(token, now);
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

function readClaims(token: string): Readonly<Record<string, unknown>> | null {
  const part = /^[\w-]+\.([\w-]+)\.[\w-]+$/.exec(token)?.[1];
  if (part === undefined) return null;
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
