import { createECDH, randomBytes } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { deriveKey, deriveScalar } from './derive-key.ts';

/** The source of all keys: the secret of the client keys, the secret for all other purposes, and the key pair that signs tokens. */
export type KeyMaterial = { readonly jwtSecret: string; readonly secret: string; readonly signing: JWK };

type Source = { readonly appSecret: string | null; readonly previousAppSecret: string | null };

/** The number of points of P-256 (FIPS 186-5, section 3.2.1.3). */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/**
 * Returns the material in use, followed by earlier material that is still accepted. With an `appSecret` it is derived, and a `keys.json` in
 * `folder` counts as earlier material. Without one it is read from that file, which is created if it is missing.
 */
export async function readKeyMaterial(
  folder: string,
  { appSecret, previousAppSecret }: Source,
): Promise<KeyMaterial[]> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'keys.json');
  const previous = previousAppSecret === null ? [] : [deriveKeyMaterial(previousAppSecret)];
  if (appSecret === null) return [await readOrGenerate(path), ...previous];
  const stored = await readStored(path);
  return [deriveKeyMaterial(appSecret), ...previous, ...(stored === null ? [] : [stored])];
}

/** Derives the same material from the same secret, on every server. */
function deriveKeyMaterial(appSecret: string): KeyMaterial {
  const secret = Buffer.from(appSecret);
  const text = (purpose: string): string => Buffer.from(deriveKey(secret, purpose)).toString('base64url');
  return {
    jwtSecret: text('client-keys'),
    secret: text('stored-secrets'),
    signing: toSigningKey(deriveScalar(secret, 'signing-key', ORDER)),
  };
}

function toSigningKey(scalar: Uint8Array): JWK {
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(scalar);
  // The point is 0x04, followed by the two coordinates (SEC 1, section 2.3.3).
  const point = pair.getPublicKey();
  const part = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
  return { kty: 'EC', crv: 'P-256', x: part(point.subarray(1, 33)), y: part(point.subarray(33)), d: part(scalar) };
}

/** Generates random material. */
export async function generateKeyMaterial(): Promise<KeyMaterial> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return {
    jwtSecret: randomBytes(32).toString('base64url'),
    secret: randomBytes(32).toString('base64url'),
    signing: await exportJWK(privateKey),
  };
}

/** Returns null if the file does not exist. */
async function readStored(path: string): Promise<KeyMaterial | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

async function readOrGenerate(path: string): Promise<KeyMaterial> {
  const stored = await readStored(path);
  if (stored !== null) return stored;
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  await writeFile(draft, JSON.stringify(await generateKeyMaterial()), { mode: 0o600, flag: 'wx' });
  // `link` is atomic, so one of several processes wins and all of them read the file that it wrote.
  await link(draft, path).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  });
  await unlink(draft);
  return JSON.parse(await readFile(path, 'utf8'));
}
