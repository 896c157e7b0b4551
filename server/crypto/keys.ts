import { createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
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
import { openSigningKey, readSigningKeys, signToken, type SigningKey } from './signing-keys.ts';

/** What the server signs and seals with. Made once, kept in one file that only its owner can read. */
export type Keys = {
  /** An access token for these claims, by the newest key (`kid`), good for `seconds`. */
  sign(claims: Record<string, unknown>, seconds: number, now: Date): string;
  /**
   * The claims of a token signed with the shared secret or a registered key pair, whatever role it names; null for any other.
   * Algorithm, signature, audience of user tokens and expiry are checked.
   */
  verify(token: string, now: Date): Promise<Readonly<Record<string, unknown>> | null>;
  /** Public keys, for whoever verifies our tokens. */
  jwks(): { keys: JWK[] };
  readonly anonKey: string;
  readonly serviceRoleKey: string;
  /** Keyed hash, parted by purpose. */
  hmac(purpose: string, value: string): Buffer;
  /** 32 secret bytes for a purpose. */
  derive(purpose: string): Uint8Array;
};

type Stored = { jwtSecret: string; secret: string; signing: JWK };

const LEEWAY_SECONDS = 10;
const VERIFIED_KEPT = 5_000;
/** Ten years: the keys that clients are built with. */
const CLIENT_KEY_SECONDS = 315_360_000;

/**
 * Reads the keys of `folder`, or makes them; several processes starting at once end up with the same. `jwtSecret` signs the two client
 * keys. `signingKeysFile`: a JWKS with private keys that takes the place of the made one. Throws for a file that cannot be signed with.
 */
export async function openKeys(
  folder: string,
  jwtSecret: string | null,
  signingKeysFile: string | null = null,
): Promise<Keys> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const stored = await readOrMake(join(folder, 'keys.json'));
  const signing =
    signingKeysFile === null
      ? await madeKey(stored)
      : await readSigningKeys(await readFile(signingKeysFile, 'utf8'), signingKeysFile);
  return createKeys(stored, jwtSecret, signing);
}

/** Keys that are gone with the process, for tests. */
export async function temporaryKeys(): Promise<Keys> {
  const stored = await make();
  return createKeys(stored, null, await madeKey(stored));
}

async function readOrMake(path: string): Promise<Stored> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  await writeFile(draft, JSON.stringify(await make()), { mode: 0o600, flag: 'wx' });
  // A link is made or refused as a whole: of several processes one wins, and all read what it wrote.
  await link(draft, path).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  });
  await unlink(draft);
  return JSON.parse(await readFile(path, 'utf8'));
}

async function make(): Promise<Stored> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return {
    jwtSecret: randomBytes(32).toString('base64url'),
    secret: randomBytes(32).toString('base64url'),
    signing: await exportJWK(privateKey),
  };
}

/** The one key that was made here. */
async function madeKey(stored: Stored): Promise<readonly SigningKey[]> {
  return [await openSigningKey({ ...stored.signing, kid: await calculateJwkThumbprint(stored.signing), alg: 'ES256' })];
}

async function createKeys(stored: Stored, jwtSecret: string | null, signing: readonly SigningKey[]): Promise<Keys> {
  const [current] = signing;
  if (!current) throw new Error('there is no key to sign with');
  const live = new Map(signing.map((key) => [key.kid, key]));
  const shared = createSecretKey(Buffer.from(jwtSecret ?? stored.jwtSecret));
  const secret = Buffer.from(stored.secret, 'base64url');
  const clientKey = (role: string): Promise<string> =>
    // A fixed time of issue: the same secret always gives the same key, as people paste it into their tools.
    new SignJWT({ role })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuer('supabase')
      .setIssuedAt(1_760_000_000)
      .setExpirationTime(1_760_000_000 + CLIENT_KEY_SECONDS)
      .sign(shared);
  const [anonKey, serviceRoleKey] = await Promise.all([clientKey('anon'), clientKey('service_role')]);

  const verified = new Map<string, { claims: Record<string, unknown>; until: number }>();
  const check = async (token: string, now: Date): Promise<Record<string, unknown> | null> => {
    const head = readHead(token);
    if (!head) return null;
    for (const key of keysFor(head)) {
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: [head.alg],
          clockTolerance: LEEWAY_SECONDS,
          currentDate: now,
        });
        return isMeantForUs(payload) ? payload : null;
      } catch {
        continue; // signed with another key, expired, or no token at all
      }
    }
    return null;
  };
  // The key says its algorithm, not the token: a public key never serves as a shared secret. A token that names no key is tried with each.
  const keysFor = ({ alg, kid }: TokenHead): readonly (KeyObject | CryptoKey)[] => {
    if (alg === 'HS256') return [shared];
    const pairs = kid === null ? signing : [live.get(kid)].filter((pair) => pair !== undefined);
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
      const known = verified.get(token);
      if (known) {
        verified.delete(token);
        if (known.until <= now.getTime()) return null;
        verified.set(token, known); // the last used are kept longest
        return known.claims;
      }
      if (token.length > 8_192) return null;
      const claims = await check(token, now);
      if (!claims) return null;
      const oldest = verified.keys().next();
      if (verified.size >= VERIFIED_KEPT && !oldest.done) verified.delete(oldest.value);
      const expiry = claims['exp'];
      if (typeof expiry === 'number') verified.set(token, { claims, until: (expiry + LEEWAY_SECONDS) * 1000 });
      return claims;
    },
    jwks: () => ({ keys: signing.map((key) => key.publicJwk) }),
    hmac: (purpose, value) => createHmac('sha256', secret).update(`${purpose}\n${value}`).digest(),
    derive: (purpose) => new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32)),
  };
}

/** A token of a signed-in person that names an audience has to name this one; supabase's own tokens always do. */
function isMeantForUs({ role, aud }: JWTPayload): boolean {
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
    return null; // not a token at all
  }
}
