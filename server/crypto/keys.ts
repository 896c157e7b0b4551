import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  calculateJwkThumbprint,
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose';
import { deriveKey } from './derive-key.ts';
import { openSigningKey, readSigningKeys, signToken, type SigningKey } from './signing-keys.ts';

/** The server's keys for signing and encryption. They are generated once, into a file that only its owner can read. */
export type Keys = {
  /** Signs an access token with the newest key (`kid`). It expires after `seconds`. */
  sign(claims: Record<string, unknown>, seconds: number, now: Date): string;
  /**
   * Returns the claims of a token signed with the shared secret or a registered key pair, whatever its role; null for any other token.
   * Checks algorithm, signature, expiry and, for user tokens, the audience.
   */
  verify(token: string, now: Date): Promise<Readonly<Record<string, unknown>> | null>;
  /** Public keys, for others who verify our tokens. */
  jwks(): { keys: JWK[] };
  readonly anonKey: string;
  readonly serviceRoleKey: string;
  /** Keyed hash. Each purpose has hashes of its own. */
  hmac(purpose: string, value: string): Buffer;
  /** Derives 32 secret bytes for a purpose. */
  derive(purpose: string): Uint8Array;
};

type Stored = { jwtSecret: string; secret: string; signing: JWK };

const LEEWAY_SECONDS = 10;
const VERIFIED_MAX = 5_000;
/** Ten years: client keys are built into apps. */
const CLIENT_KEY_SECONDS = 315_360_000;

/**
 * Reads the keys of `folder`, or generates them. Processes that start at the same time end up with the same keys. `jwtSecret` signs the
 * two client keys. `signingKeysFile`: a JWKS with private keys that replaces the generated one. Throws when the file has no usable key.
 */
export async function openKeys(
  folder: string,
  jwtSecret: string | null,
  signingKeysFile: string | null = null,
): Promise<Keys> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const stored = await readOrGenerate(join(folder, 'keys.json'));
  const signing =
    signingKeysFile === null
      ? await generatedKey(stored)
      : await readSigningKeys(await readFile(signingKeysFile, 'utf8'), signingKeysFile);
  return createKeys(stored, jwtSecret, signing);
}

/** Keys in memory only, for tests. */
export async function temporaryKeys(): Promise<Keys> {
  const stored = await generate();
  return createKeys(stored, null, await generatedKey(stored));
}

async function readOrGenerate(path: string): Promise<Stored> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  await writeFile(draft, JSON.stringify(await generate()), { mode: 0o600, flag: 'wx' });
  // `link` is atomic: one of several processes wins, and all read what it wrote.
  await link(draft, path).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  });
  await unlink(draft);
  return JSON.parse(await readFile(path, 'utf8'));
}

async function generate(): Promise<Stored> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return {
    jwtSecret: randomBytes(32).toString('base64url'),
    secret: randomBytes(32).toString('base64url'),
    signing: await exportJWK(privateKey),
  };
}

/** The key pair that this server generated. */
async function generatedKey(stored: Stored): Promise<readonly SigningKey[]> {
  return [await openSigningKey({ ...stored.signing, kid: await calculateJwkThumbprint(stored.signing), alg: 'ES256' })];
}

async function createKeys(stored: Stored, jwtSecret: string | null, signing: readonly SigningKey[]): Promise<Keys> {
  const [current] = signing;
  if (!current) throw new Error('there is no key to sign with');
  const byKid = new Map(signing.map((key) => [key.kid, key]));
  const shared = createSecretKey(Buffer.from(jwtSecret ?? stored.jwtSecret));
  const secret = Buffer.from(stored.secret, 'base64url');
  // Node prepares a key of bytes at each call, which takes five times as long as the hash.
  const hashKey = createSecretKey(secret);
  const clientKey = (role: string): Promise<string> =>
    // A fixed issue time: the same secret always gives the same key, so a key that people have pasted elsewhere stays valid.
    new SignJWT({ role })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuer('supabase')
      .setIssuedAt(1_760_000_000)
      .setExpirationTime(1_760_000_000 + CLIENT_KEY_SECONDS)
      .sign(shared);
  const [anonKey, serviceRoleKey] = await Promise.all([clientKey('anon'), clientKey('service_role')]);

  const verified = new Map<string, { claims: Record<string, unknown>; until: number }>();
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
  // The algorithm comes from the key, not from the token, so a public key never serves as a shared secret. Without a `kid`, each key is tried.
  const keysFor = ({ alg, kid }: TokenHead): readonly (KeyObject | CryptoKey)[] => {
    if (alg === 'HS256') return [shared];
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
        verified.delete(token);
        if (cached.until <= now.getTime()) return null;
        verified.set(token, cached); // drop the least recently used first
        return cached.claims;
      }
      if (token.length > 8_192) return null;
      const claims = await verifySignature(token, now);
      if (!claims) return null;
      const oldest = verified.keys().next();
      if (verified.size >= VERIFIED_MAX && !oldest.done) verified.delete(oldest.value);
      const expiry = claims['exp'];
      if (typeof expiry === 'number') verified.set(token, { claims, until: (expiry + LEEWAY_SECONDS) * 1000 });
      return claims;
    },
    jwks: () => ({ keys: signing.map((key) => key.publicJwk) }),
    hmac: (purpose, value) => createHmac('sha256', hashKey).update(`${purpose}\n${value}`).digest(),
    derive: (purpose) => deriveKey(secret, purpose),
  };
}

/** Whether a user token is meant for this server: an audience, if it names one, must be `authenticated`, as in Supabase's own tokens. */
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
