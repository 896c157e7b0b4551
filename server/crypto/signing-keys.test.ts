import { exportJWK, generateKeyPair } from 'jose';
import { expect, test } from 'vitest';
import { readSigningKeys } from './signing-keys.ts';

const make = async (alg: string, modulusLength?: number) =>
  exportJWK((await generateKeyPair(alg, { extractable: true, ...(modulusLength && { modulusLength }) })).privateKey);

test('keys for ES256 and RS256 keep their order, and are published without private fields', async () => {
  const [ec, rsa] = [await make('ES256'), await make('RS256')];
  const keys = await readSigningKeys(
    JSON.stringify({
      keys: [
        { ...rsa, kid: 'b' },
        { ...ec, kid: 'a' },
      ],
    }),
    'x',
  );
  expect(keys.map((key) => [key.kid, key.alg])).toEqual([
    ['b', 'RS256'],
    ['a', 'ES256'],
  ]);
  for (const { publicJwk } of keys) for (const name of ['d', 'p', 'q']) expect(publicJwk).not.toHaveProperty(name);
});

test('an unusable key is refused, without key material in the message', async () => {
  const ec = await make('ES256');
  const { d: secret, ...open } = ec;
  const faults: readonly unknown[] = [
    'nonsense',
    { keys: [] },
    { keys: [{ ...open, kid: 'a' }] },
    { keys: [ec] },
    { keys: [{ ...ec, kid: 'a', alg: 'RS256' }] },
    {
      keys: [
        { ...ec, kid: 'a' },
        { ...ec, kid: 'a' },
      ],
    },
    { keys: [{ ...(await make('ES384')), kid: 'a' }] },
    { keys: [{ kty: 'oct', k: 'AAAA', kid: 'a', alg: 'HS256' }] },
  ];
  for (const fault of faults) {
    const text = typeof fault === 'string' ? fault : JSON.stringify(fault);
    const outcome = await readSigningKeys(text, 'the file').then(
      () => 'taken',
      (error: unknown) => String(error),
    );
    expect(outcome).toContain('AUTH_SIGNING_KEYS_FILE: the file');
    expect(outcome).not.toContain(secret);
  }
});
