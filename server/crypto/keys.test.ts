import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Keys, openKeys, temporaryKeys } from './keys.ts';

const NOW = new Date('2026-05-01T00:00:00Z');
const later = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1000);
const claims = { sub: 'a', aud: 'authenticated', role: 'authenticated', session_id: 's' };
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('the keys on disk', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keys-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('eight concurrent starts end up with the same keys, in a file that only the owner can read', async () => {
    const opened = await Promise.all(Array.from({ length: 8 }, () => openKeys(folder)));
    expect(new Set(opened.map((keys) => keys.anonKey)).size).toBe(1);
    expect(new Set(opened.map((keys) => JSON.stringify(keys.jwks()))).size).toBe(1);
    expect((await stat(join(folder, 'keys.json'))).mode & 0o777).toBe(0o600);
  });

  test('a second start reads the keys of the first', async () => {
    const before = await readFile(join(folder, 'keys.json'), 'utf8');
    const first = await openKeys(folder);
    const token = first.sign(claims, 60, NOW);
    expect(await (await openKeys(folder)).verify(token, NOW)).toMatchObject(claims);
    expect(await readFile(join(folder, 'keys.json'), 'utf8')).toBe(before);
  });

  test("the operator's secret signs the client keys", async () => {
    const secret = 'an operator chose this secret, 40 letters';
    const [chosen, generated] = [await openKeys(folder, { jwtSecret: secret }), await openKeys(folder)];
    expect(chosen.anonKey).not.toBe(generated.anonKey);
    expect(await generated.verify(chosen.anonKey, NOW)).toBeNull();
  });
});

describe('keys from a secret', () => {
  const [first, second] = ['the first secret of 32 or more letters', 'the second secret of 32 or more letters'];
  let folder = '';
  const elsewhere = (): Promise<string> => mkdtemp(join(folder, 'server-'));
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keys-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('are the same on every server and in later versions, and write no file', async () => {
    const at = await elsewhere();
    const [keys, others] = [
      await openKeys(at, { appSecret: first }),
      await openKeys(await elsewhere(), { appSecret: first }),
    ];
    expect(others.serviceRoleKey).toBe(keys.serviceRoleKey);
    expect(others.fingerprints).toEqual(keys.fingerprints);
    expect(others.hmac('a', 'b')).toEqual(keys.hmac('a', 'b'));
    expect(await others.verify(keys.sign(claims, 60, NOW), NOW)).toMatchObject(claims);
    expect(await readdir(at)).toEqual([]);
    expect(keys.fingerprints).toEqual({
      APP_SECRET: ['sjgOZKPhw6j8vFSitHFaRO'],
      JWT_SECRET: ['d19aw0n9FQOejzVd2mxVKX'],
      AUTH_SIGNING_KEYS_FILE: ['GinmvKdMFsfecxQEv_eZCvT2-FNsAOhvRVzo37850S4'],
    });
  });

  test('another secret has other keys; as the previous one it is accepted and not used', async () => {
    const at = await elsewhere();
    const old = await openKeys(at, { appSecret: first });
    const token = old.sign(claims, 60, NOW);
    const renewed = await openKeys(at, { appSecret: second });
    expect(await renewed.verify(token, NOW)).toBeNull();
    expect(await renewed.verify(old.anonKey, NOW)).toBeNull();
    expect(renewed.hmacs('a', 'b')).not.toContainEqual(old.hmac('a', 'b'));
    const both = await openKeys(at, { appSecret: second, previousAppSecret: first });
    expect(await both.verify(token, NOW)).toMatchObject(claims);
    expect(await both.verify(old.anonKey, NOW)).toMatchObject({ role: 'anon' });
    expect(both.hmacs('a', 'b')).toEqual([renewed.hmac('a', 'b'), old.hmac('a', 'b')]);
    expect(both.deriveAll('a')).toEqual([renewed.derive('a'), old.derive('a')]);
    expect([both.anonKey, both.hmac('a', 'b')]).toEqual([renewed.anonKey, renewed.hmac('a', 'b')]);
    expect(await renewed.verify(both.sign(claims, 60, NOW), NOW)).toMatchObject(claims);
  });

  test('a keys.json beside it is the previous key, and stays as it is', async () => {
    const at = await elsewhere();
    const stored = await openKeys(at);
    const before = await readFile(join(at, 'keys.json'), 'utf8');
    const keys = await openKeys(at, { appSecret: first });
    expect(await keys.verify(stored.sign(claims, 60, NOW), NOW)).toMatchObject(claims);
    expect(await keys.verify(stored.serviceRoleKey, NOW)).toMatchObject({ role: 'service_role' });
    expect(keys.fingerprints.APP_SECRET).toHaveLength(2);
    expect(await stored.verify(keys.sign(claims, 60, NOW), NOW)).toBeNull();
    expect(await readFile(join(at, 'keys.json'), 'utf8')).toBe(before);
  });

  test('an earlier JWT_SECRET is accepted and not used', async () => {
    const at = await elsewhere();
    const old = await openKeys(at, { jwtSecret: first });
    const both = await openKeys(at, { jwtSecret: second, previousJwtSecret: first });
    expect(await both.verify(old.anonKey, NOW)).toMatchObject({ role: 'anon' });
    expect(both.anonKey).toBe((await openKeys(at, { jwtSecret: second })).anonKey);
  });
});

describe('tokens', () => {
  let keys: Keys;
  beforeAll(async () => {
    keys = await temporaryKeys();
  });

  test('a token is valid until ten seconds after its expiry, cached or not', async () => {
    const token = keys.sign(claims, 60, NOW);
    expect(await keys.verify(token, NOW)).toMatchObject(claims);
    expect(await keys.verify(token, later(69))).toMatchObject(claims);
    expect(await keys.verify(token, later(71))).toBeNull();
    expect(await keys.verify(keys.sign({ ...claims, n: 2 }, 60, NOW), later(71))).toBeNull();
  });

  test('the client keys have the roles anon and service_role, and the published keys contain nothing private', async () => {
    expect(await keys.verify(keys.anonKey, NOW)).toMatchObject({ role: 'anon' });
    expect(await keys.verify(keys.serviceRoleKey, NOW)).toMatchObject({ role: 'service_role' });
    expect(keys.jwks().keys[0]).toMatchObject({ alg: 'ES256', kty: 'EC' });
    expect(keys.jwks().keys[0]).not.toHaveProperty('d');
  });

  test('alg none is refused', async () => {
    const body = part({ ...claims, exp: NOW.getTime() / 1000 + 600 });
    for (const alg of ['none', 'None', 'NONE', '']) {
      expect(await keys.verify(`${part({ alg, typ: 'JWT' })}.${body}.`, NOW)).toBeNull();
      expect(await keys.verify(`${part({ alg, typ: 'JWT' })}.${body}.AAAA`, NOW)).toBeNull();
    }
  });

  test('HS256 with the public key as its secret is refused', async () => {
    const jwk = keys.jwks().keys[0];
    for (const secret of [JSON.stringify(jwk), JSON.stringify(keys.jwks()), String(jwk?.x)]) {
      const forged = await new SignJWT({ ...claims, role: 'service_role' })
        .setProtectedHeader({ alg: 'HS256', kid: String(jwk?.kid) })
        .setExpirationTime('10y')
        .sign(Buffer.from(secret));
      expect(await keys.verify(forged, NOW)).toBeNull();
    }
  });

  test('a foreign key with our kid, our key with a foreign kid, and a changed role are refused', async () => {
    const { privateKey } = await generateKeyPair('ES256');
    const kid = String(keys.jwks().keys[0]?.kid);
    const other = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', kid })
      .setExpirationTime('10y')
      .sign(privateKey);
    expect(await keys.verify(other, NOW)).toBeNull();
    const [, body = '', signature = ''] = keys.sign(claims, 60, NOW).split('.');
    expect(await keys.verify(`${part({ alg: 'ES256', kid: 'x' })}.${body}.${signature}`, NOW)).toBeNull();
    const good = keys.sign(claims, 60, NOW);
    const [head = ''] = good.split('.');
    expect(await keys.verify(`${head}.${part({ ...claims, role: 'service_role' })}.${signature}`, NOW)).toBeNull();
  });

  test('a user token for another audience is refused; one with no audience, or with ours among several, is accepted', async () => {
    expect(await keys.verify(keys.sign({ ...claims, aud: 'elsewhere' }, 60, NOW), NOW)).toBeNull();
    expect(await keys.verify(keys.sign({ ...claims, aud: ['elsewhere'] }, 60, NOW), NOW)).toBeNull();
    for (const aud of [undefined, ['elsewhere', 'authenticated']])
      expect(await keys.verify(keys.sign({ ...claims, aud }, 60, NOW), NOW)).toMatchObject({ sub: 'a' });
  });

  test('a token of the shared secret or of a registered key pair, with or without kid, may carry any role', async () => {
    const secret = 'an operator chose this secret, 40 letters';
    const folder = await mkdtemp(join(tmpdir(), 'keys-'));
    const pairs = [];
    for (const alg of ['RS256', 'ES256'] as const) {
      const { privateKey } = await generateKeyPair(alg, { extractable: true });
      pairs.push({ alg, privateKey, jwk: { ...(await exportJWK(privateKey)), kid: alg } });
    }
    const file = join(folder, 'signing.json');
    await writeFile(file, JSON.stringify({ keys: pairs.map((pair) => pair.jwk) }));
    const registered = await openKeys(folder, { jwtSecret: secret, signingKeysFile: file });
    for (const role of ['service_role', 'anon', 'authenticated', 'reporter']) {
      const make = (alg: string, kid?: string): SignJWT =>
        new SignJWT({ role }).setProtectedHeader({ alg, ...(kid && { kid }) }).setExpirationTime('10y');
      const tokens = [
        await make('HS256').sign(Buffer.from(secret)),
        await make('HS256', 'x').sign(Buffer.from(secret)),
      ];
      for (const { alg, privateKey } of pairs)
        tokens.push(await make(alg, alg).sign(privateKey), await make(alg).sign(privateKey));
      for (const token of tokens) expect(await registered.verify(token, NOW)).toMatchObject({ role });
      const [rsa, ec] = pairs;
      if (!rsa || !ec) throw new Error('two pairs were made');
      // The first token has the kid of one key and the signature of another; the second was signed with an unregistered key pair.
      expect(await registered.verify(await make('RS256', 'ES256').sign(rsa.privateKey), NOW)).toBeNull();
      expect(
        await registered.verify(await make('ES256').sign((await generateKeyPair('ES256')).privateKey), NOW),
      ).toBeNull();
    }
    await rm(folder, { recursive: true });
  });

  test('malformed tokens are refused without an exception', async () => {
    for (const token of [
      '',
      'a',
      'a.b',
      'a.b.c',
      '....',
      `${'x'.repeat(9_000)}.b.c`,
      `${part(null)}.a.a`,
      `${part([])}.a.a`,
    ])
      expect(await keys.verify(token, NOW)).toBeNull();
  });
});
