import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { calculateJwkThumbprint, type CryptoKey, type JWK, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { deriveKey } from './derive-key.ts';
import { generateKeyMaterial, type KeyMaterial, readKeyMaterial } from './key-material.ts';
import { openSigningKey, readSigningKeys, signToken, type SigningKey } from './signing-keys.ts';

/**
 * The server's keys for signing and encryption, derived from APP_SECRET or generated once. Keys from an earlier secret are accepted too.
 */
export type Keys = {
  /** Signs an access token with the newest key (`kid`). It expires after `seconds`. */
  sign(claims: Record<string, unknown>, seconds: number, now: Date): string;
  /**
   * Returns the claims of a token signed with the shared secret or a registered key pair, whatever its role; null for any other token.
   * Checks algorithm, signature, expiry and, for user tokens, the audience.
   */
  verify(token: string, now: Date): Promise<Readonly<Record<string, unknown>> | null>;
  /** Returns the public keys, for other systems that verify our tokens. */
  jwks(): { keys: JWK[] };
  readonly anonKey: string;
  readonly serviceRoleKey: string;
  /** Returns a keyed hash. The same value has a different hash for each purpose. */
  hmac(purpose: string, value: string): Buffer;
  /** Returns the hash with every accepted key, to recognise values hashed with an earlier key. The current key's hash is first. */
  hmacs(purpose: string, value: string): readonly Buffer[];
  /** Derives 32 secret bytes for a purpose. */
  derive(purpose: string): Uint8Array;
  /** Derives 32 secret bytes from every accepted key; those of the current key are first. */
  deriveAll(purpose: string): readonly Uint8Array[];
  /** Fingerprints of the keys, by the variable that sets them. The key in use comes first, then the keys that are still accepted. */
  readonly fingerprints: Readonly<Record<KeyName, readonly string[]>>;
};

/** A key, by the variable that sets it. */
export type KeyName = 'APP_SECRET' | 'JWT_SECRET' | 'AUTH_SIGNING_KEYS_FILE';

const LEEWAY_SECONDS = 10;
const VERIFIED_MAX = 5_000;
/** Lifetime of client keys: ten years, because they are built into apps. */
const CLIENT_KEY_SECONDS = 315_360_000;

/** The sources of the keys. Both members of a pair (current and previous) are accepted, and the current one is used. */
export type KeyConfig = {
  /** The secret from which every key is derived. Null if keys are generated and stored in a file. */
  readonly appSecret: string | null;
  readonly previousAppSecret: string | null;
  /** Signs the two client keys, instead of the derived or generated secret. */
  readonly jwtSecret: string | null;
  readonly previousJwtSecret: string | null;
  /** A JWKS with private keys that replaces the signing key. */
  readonly signingKeysFile: string | null;
};

const NONE: KeyConfig = {
  appSecret: null,
  previousAppSecret: null,
  jwtSecret: null,
  previousJwtSecret: null,
  signingKeysFile: null,
};

/**
 * Derives the keys, or reads those of `folder`, or generates them there. Processes that start at the same time end up with the same keys.
 * Throws if the file of signing keys has no usable key.
 */
export async function openKeys(folder: string, given: Partial<KeyConfig> = {}): Promise<Keys> {
  const settings = { ...NONE, ...given };
  const material = await readKeyMaterial(folder, settings);
  const { signingKeysFile: file } = settings;
  const signing =
    file === null
      ? await Promise.all(material.map(({ signing: jwk }) => openGenerated(jwk)))
      : await readSigningKeys(await readFile(file, 'utf8'), file);
  return createKeys({ material, shared: sharedSecrets(material, settings), signing });
}

/** Creates keys in memory only, for tests. */
export async function temporaryKeys(): Promise<Keys> {
  const material = [await generateKeyMaterial()];
  const signing = await Promise.all(material.map(({ signing: jwk }) => openGenerated(jwk)));
  return createKeys({ material, shared: sharedSecrets(material, NONE), signing });
}

/** Returns the secrets for HS256. The first one signs. */
function sharedSecrets(
  material: readonly KeyMaterial[],
  { jwtSecret, previousJwtSecret }: Pick<KeyConfig, 'jwtSecret' | 'previousJwtSecret'>,
): readonly string[] {
  const own = jwtSecret === null ? material.map((entry) => entry.jwtSecret) : [jwtSecret];
  return [...own, ...(previousJwtSecret === null ? [] : [previousJwtSecret])];
}

async function openGenerated(jwk: JWK): Promise<SigningKey> {
  return openSigningKey({ ...jwk, kid: await calculateJwkThumbprint(jwk), alg: 'ES256' });
}

/** In each list, the first entry is in use and the others are still accepted. */
type Accepted = {
  readonly material: readonly KeyMaterial[];
  readonly shared: readonly string[];
  readonly signing: readonly SigningKey[];
};

async function createKeys({ material, shared: sharedTexts, signing }: Accepted): Promise<Keys> {
  const [current] = signing;
  const shared = sharedTexts.map((text) => createSecretKey(Buffer.from(text)));
  const [clientSecret] = shared;
  const secrets = material.map((entry) => Buffer.from(entry.secret, 'base64url'));
  const [secret] = secrets;
  if (!current || !clientSecret || !secret) throw new Error('there is no key to sign with');
  const byKid = new Map(signing.map((key) => [key.kid, key]));
  // If a key were given as bytes, Node would prepare it at each call, which takes five times as long as the hash.
  const hashKeys = secrets.map((bytes) => createSecretKey(bytes));
  const hashKey = createSecretKey(secret);
  const [anonKey, serviceRoleKey] = await Promise.all([
    clientKey(clientSecret, 'anon'),
    clientKey(clientSecret, 'service_role'),
  ]);

  const verified = new LRUCache<string, { claims: Record<string, unknown>; until: number }>({ max: VERIFIED_MAX });
  const verifySignature = async (token: string, now: Date): Promise<Record<string, unknown> | null> => {
    const head = readHead(token);
    if (!head) return null;
    for (const key of keysFor(head)) {
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: [head.alg],
          clockTolerance: LEEWAY_SECONDS,
          currentDate: now,
        });
        return hasExpectedAudience(payload) ? payload : null;
      } catch {
        continue; // signed with another key, expired, or not a token
      }
    }
    return null;
  };
  // The algorithm comes from the key, not from the token, so a public key never serves as a shared secret. Without a `kid`, each key is
  // tried.
  const keysFor = ({ alg, kid }: TokenHead): readonly (KeyObject | CryptoKey)[] => {
    if (alg === 'HS256') return shared;
    const pairs = kid === null ? signing : [byKid.get(kid)].filter((pair) => pair !== undefined);
    return pairs.filter((pair) => pair.alg === alg).map((pair) => pair.verifyKey);
  };

  return {
    anonKey,
    serviceRoleKey,
    sign: (claims, seconds, now) => {
      const issued = Math.floor(now.getTime() / 1000);
      return signToken(current, { ...claims, iat: issued, exp: issued + seconds });
    },
    async verify(token, now) {
      const cached = verified.get(token);
      if (cached) {
        if (cached.until > now.getTime()) return cached.claims;
        verified.delete(token);
        return null;
      }
      if (token.length > 8_192) return null;
      const claims = await verifySignature(token, now);
      if (!claims) return null;
      const expiry = claims['exp'];
      if (typeof expiry === 'number') verified.set(token, { claims, until: (expiry + LEEWAY_SECONDS) * 1000 });
      return claims;
    },
    jwks: () => ({ keys: signing.map((key) => key.publicJwk) }),
    hmac: (purpose, value) => hashWith(hashKey, purpose, value),
    hmacs: (purpose, value) => hashKeys.map((key) => hashWith(key, purpose, value)),
    derive: (purpose) => deriveKey(secret, purpose),
    deriveAll: (purpose) => secrets.map((bytes) => deriveKey(bytes, purpose)),
    fingerprints: {
      APP_SECRET: secrets.map(getFingerprint),
      JWT_SECRET: sharedTexts.map((text) => getFingerprint(Buffer.from(text))),
      AUTH_SIGNING_KEYS_FILE: signing.map((key) => key.kid),
    },
  };
}

function hashWith(key: KeyObject, purpose: string, value: string): Buffer {
  return createHmac('sha256', key).update(`${purpose}\n${value}`).digest();
}

function clientKey(secret: KeyObject, role: string): Promise<string> {
  // The issue time is fixed, so that a secret always gives the same client key and keys pasted elsewhere stay valid.
  return new SignJWT({ role })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer('supabase')
    .setIssuedAt(1_760_000_000)
    .setExpirationTime(1_760_000_000 + CLIENT_KEY_SECONDS)
    .sign(secret);
}

function getFingerprint(secret: Uint8Array): string {
  return Buffer.from(deriveKey(secret, 'fingerprint')).toString('base64url').slice(0, 22);
}

/** Whether a user token is meant for this server. If it names an audience, that must be `authenticated`, as in Supabase's own tokens. */
function hasExpectedAudience({ role, aud }: JWTPayload): boolean {
  if (role !== 'authenticated' || aud === undefined) return true;
  return aud === 'authenticated' || (Array.isArray(aud) && aud.includes('authenticated'));
}

type TokenHead = { readonly alg: string; readonly kid: string | null };

function readHead(token: string): TokenHead | null {
  const part = /^([\w-]+)\.[\w-]+\.[\w-]+$/.exec(token)?.[1];
  if (!part) return null;
  try {
    const head: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    if (head === null || typeof head !== 'object' || !('alg' in head) || typeof head.alg !== 'string') return null;
    return { alg: head.alg, kid: 'kid' in head && typeof head.kid === 'string' ? head.kid : null };
  } catch {
    return null; // not a token
  }
}
