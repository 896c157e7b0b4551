import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { type CryptoKey, importJWK, type JWK } from 'jose';
import { z } from 'zod';

/** A key pair that signs access tokens. */
export type SigningKey = {
  readonly kid: string;
  readonly alg: 'ES256' | 'RS256';
  readonly signKey: SignKey;
  readonly verifyKey: CryptoKey;
  readonly publicJwk: JWK;
};

/**
 * A private key with the encoding of its signature (RFC 7518, section 3.4) as a property, where Node reads it. If a separate object held
 * the key and the encoding, Node would prepare the key again for each signature: measured 79 µs instead of 40.
 */
type SignKey = KeyObject & { readonly dsaEncoding: 'ieee-p1363' };
const toSignKey = (key: KeyObject): SignKey => Object.assign(key, { dsaEncoding: 'ieee-p1363' } as const);

const text = z.string().min(1);
const ec = z.object({ kty: z.literal('EC'), crv: z.literal('P-256'), x: text, y: text, d: text });
const rsa = z.object({ kty: z.literal('RSA'), n: text.min(342, 'is shorter than 2048 bits'), e: text, d: text });
const named = z.object({ kid: text.max(200), alg: z.enum(['ES256', 'RS256']).optional() });
const file = z.object({ keys: z.array(z.unknown()).min(1).max(10) }).or(z.array(z.unknown()).min(1).max(10));

/** Reads a JWKS with private keys, newest first. `where` names the file in error messages. */
export async function readSigningKeys(content: string, where: string): Promise<readonly SigningKey[]> {
  let json: unknown;
  try {
    json = JSON.parse(content);
  } catch {
    throw new Error(`AUTH_SIGNING_KEYS_FILE: ${where} is not JSON`);
  }
  const parsed = file.safeParse(json);
  if (!parsed.success) throw new Error(`AUTH_SIGNING_KEYS_FILE: ${where} is not a JWKS with one to ten keys`);
  const jwks = Array.isArray(parsed.data) ? parsed.data : parsed.data.keys;
  const keys = await Promise.all(jwks.map((jwk, index) => readKey(jwk, `${where}, key ${index + 1}`)));
  if (new Set(keys.map((key) => key.kid)).size !== keys.length)
    throw new Error(`AUTH_SIGNING_KEYS_FILE: ${where} has two keys with one kid`);
  return keys;
}

async function readKey(jwk: unknown, where: string): Promise<SigningKey> {
  const name = named.safeParse(jwk);
  const material = ec.or(rsa).safeParse(jwk);
  if (!name.success || !material.success || (name.data.alg ?? getAlg(material.data.kty)) !== getAlg(material.data.kty))
    throw new Error(
      `AUTH_SIGNING_KEYS_FILE: ${where} is not a private key for ES256 (P-256) or RS256 (2048 bits or more) with a kid`,
    );
  // The spread keeps the optional fields of an RSA key, which speed up signing.
  const complete: JWK = { ...(jwk !== null && typeof jwk === 'object' ? jwk : {}), kid: name.data.kid };
  return openSigningKey({ ...complete, alg: getAlg(material.data.kty) });
}
const getAlg = (kty: 'EC' | 'RSA'): 'ES256' | 'RS256' => (kty === 'EC' ? 'ES256' : 'RS256');

/** Loads a private JWK with `kid` and `alg`, and derives its public part. */
export async function openSigningKey(jwk: JWK): Promise<SigningKey> {
  const alg = jwk.alg === 'RS256' ? 'RS256' : 'ES256';
  const kid = jwk.kid ?? '';
  const { kty, crv, x, y, n, e } = jwk;
  const publicFields = alg === 'ES256' ? { kty, crv, x, y } : { kty, n, e };
  const publicJwk = { ...publicFields, kid, alg, use: 'sig', key_ops: ['verify'] } as JWK;
  const { key_ops: _ops, use: _use, ...secret } = jwk;
  const verifyKey = await importJWK(publicJwk, alg);
  if (verifyKey instanceof Uint8Array) throw new Error('expected a key pair');
  const signKey = toSignKey(createPrivateKey({ key: { ...secret }, format: 'jwk' }));
  return { kid, alg, signKey, verifyKey, publicJwk };
}

/**
 * Signs a token (RFC 7515, section 3.1; signature as in RFC 7518, sections 3.3 and 3.4). It runs on this thread, because the thread pool
 * hashes passwords and a signature of a fifth of a millisecond would wait for them.
 */
export function signToken(key: SigningKey, claims: Readonly<Record<string, unknown>>): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: key.alg, typ: 'JWT', kid: key.kid })}.${part(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), key.signKey);
  return `${signed}.${signature.toString('base64url')}`;
}
