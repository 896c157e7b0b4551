import { expect, test } from 'vitest';
import { onlyGiven } from '#tests/support/providers/services.ts';
import type { AuthContext } from '../core/context.ts';
import { readBan, readPassword } from './user-form.ts';

const NOW = new Date('2026-11-29T01:02:03.000Z');

test.each([
  ['24h', 86_400_000],
  ['1h30m', 5_400_000],
  ['1.5h', 5_400_000],
  ['2m', 120_000],
  ['90s', 90_000],
  ['1500ms', 1_500],
  ['2000us', 2],
  ['2000µs', 2],
  ['2000000ns', 2],
  ['1h1m1s1ms', 3_661_001],
  ['0s', 0],
  ['900000h', 100 * 365.25 * 86_400_000],
])('a ban of %s lasts %i ms', (text, ms) => {
  expect(readBan(text, NOW)?.getTime()).toBe(NOW.getTime() + ms);
});

test.each(['1d', '24', 'h', '1h 30m', 'x24h', '24hx', '-1h', '1.h', '.5h', '1e3h'])(
  'a ban of %j is refused',
  (text) => {
    expect(() => readBan(text, NOW)).toThrow(`invalid format for ban duration: ${text}`);
  },
);

test('a ban is ended by none, and left alone without a duration', () => {
  expect(readBan('none', NOW)).toBeNull();
  for (const text of [undefined, null, '']) expect(readBan(text, NOW)).toBeUndefined();
});

const BCRYPT = '$2b$06$t8V8PuXQl7HwjGgN10PGv.mDt75QRe1DSj7smSfvbnh8bsjkwRovG';
const ARGON = '$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0$aGFzaC+hc2g/aGFzaA';
const readHash = (hash: string): Promise<string | null> =>
  readPassword(onlyGiven<AuthContext>({}), { password_hash: hash });

test.each([
  BCRYPT,
  BCRYPT.replace('$2b', '$2a'),
  BCRYPT.replace('$2b', '$2y'),
  ARGON.replace('/', '+'),
  ARGON.replace('$argon2id', '$argon2i').replace('/', 'x'),
  ARGON.replace('$argon2id', '$argon2d'),
])('the hash %s is stored as given', async (hash) => {
  expect(await readHash(hash)).toBe(hash);
});

test.each([
  `x${BCRYPT}`,
  `${BCRYPT}x`,
  BCRYPT.slice(0, -1),
  BCRYPT.replace('$2b', '$2c'),
  BCRYPT.replace('$06', '$6'),
  BCRYPT.replace('$06', '$xx'),
  BCRYPT.replace('.', '!'),
  `x${ARGON}`,
  `${ARGON}$`,
  ARGON.replace('$argon2id', '$argon2x'),
  ARGON.replace('$v=19', '$v=16'),
  ARGON.replace('m=19456', 'm!19456'),
  ARGON.replace('m=19456,t=2,p=1', ''),
  ARGON.replace('c2Fs', 'c!Fs'),
  ARGON.replace('aGFz', 'a!Fz'),
  'correct horse battery',
])('the hash %s is refused', async (hash) => {
  await expect(readHash(hash)).rejects.toThrow('password_hash must be bcrypt or argon2');
});

test('an empty password and an empty hash count as missing', async () => {
  expect(await readPassword(onlyGiven<AuthContext>({}), { password: '', password_hash: '' })).toBeNull();
  expect(await readPassword(onlyGiven<AuthContext>({}), {})).toBeNull();
});
