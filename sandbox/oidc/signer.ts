import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { SignJWT } from 'jose';
import type { Core } from '../core/core.ts';

export type Signer = {
  jwks(): { keys: JsonWebKey[] };
  /** Signs an id token with RS256. Its times are in sandbox time. */
  sign(claims: Record<string, unknown>, seconds: number): Promise<string>;
  /** The private key as PEM. SAML responses are signed with it too. */
  readonly privatePem: string;
};

export const ISSUER_PATH = '/oidc';

let key: string | null = null;

/**
 * Returns a private key as PEM. It is generated once per process and shared by all sandboxes, because finding its primes takes a third of a
 * second.
 */
function newKey(): string {
  key ??= generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
  return key;
}

/** Loads the provider's key, or creates it on the first start. */
export function createSigner(core: Core): Signer {
  const saved = core.state.load<{ key: string }>('oidc-key', { key: '' });
  if (saved.key === '') {
    saved.key = newKey();
    core.state.changed();
  }
  const privateKey = createPrivateKey(saved.key);
  const jwk = createPublicKey(privateKey).export({ format: 'jwk' });
  const kid = createHash('sha256').update(String(jwk.n)).digest('hex').slice(0, 16);
  return {
    jwks: () => ({ keys: [{ ...jwk, kid, alg: 'RS256', use: 'sig' }] }),
    sign(claims, seconds) {
      const now = Math.floor(core.now().getTime() / 1000);
      return new SignJWT({ iss: `${core.getUrl(6)}${ISSUER_PATH}`, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid, typ: 'JWT' })
        .setIssuedAt(now)
        .setExpirationTime(now + seconds)
        .sign(privateKey);
    },
    privatePem: saved.key,
  };
}
