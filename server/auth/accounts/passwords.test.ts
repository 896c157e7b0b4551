import { hash as bcryptHash } from '@node-rs/bcrypt';
import { dictionary } from '@zxcvbn-ts/language-common';
import { expect, test } from 'vitest';
import { onlyGiven } from '#tests/support/providers/services.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal } from '../core/errors.ts';
import { readBreached } from './breached-passwords.ts';
import { checkPassword } from './password-rules.ts';
import { hashPassword, needsRehash, passwordMatches } from './passwords.ts';

function getReason(password: string, min = 6): unknown {
  try {
    const config = { passwordMinLength: min, passwordRequired: 'none', breachedCheck: true } as const;
    checkPassword(onlyGiven<AuthContext>({ config, isBreached: () => false }), password);
    return null;
  } catch (error) {
    if (error instanceof AuthRefusal) return error.details['weak_password'] ?? error.code;
    throw error;
  }
}

test.each([
  'password',
  'Password1',
  'P@ssw0rd',
  'passw0rd!',
  'qwerty',
  'asdfgh',
  'fedcba',
  '654321',
  'zzzzzzzz',
  'abcabcabc',
  '12121212',
  'iloveyou2',
  'welcome123',
  'letmein!!',
  'monkey99',
  'sydney2024',
  // Alphabet, digits and keyboard rows, in both directions.
  ...'mnopqr rqponm 234567 098765 wertyu uytrew sdfghj zxcvbn mnbvcx qazwsx plokim'.split(' '),
  // A common word with digits, signs or leet spelling.
  ...'dragon1234 dr4g0n DR4G0N!! m0nk3y$1 5ummer 7iger! ch@rl1e w1n7er99'.split(' '),
  // A repeated piece.
  ...'qqqqqq xqxqxq xqzxqz qxQXqx'.split(' '),
])('%s is refused as easy to guess', (password) => expect(getReason(password)).toMatchObject({ reasons: ['pwned'] }));

test.each([
  'correct horse battery',
  'another fine phrase',
  'Tr0ub4dor&3',
  'jkq82mfpz',
  'пароль-не-простой',
  'demo-customer-1',
  'demo-admin-1',
  // More than four digits after a word, a digit before a word, a repeated piece of more than three letters, runs that change direction, and
  // a rare word.
  ...'captain12345 1captain xqzwxqzw mnopqz mnoonm cat1234'.split(' '),
])('%s is accepted', (password) => expect(getReason(password)).toBeNull());

test('each of the 3,000 most common passwords that are long enough is refused, in any spelling of its letters', () => {
  const long = dictionary['passwords-common'].filter((password) => password.length >= 6).slice(0, 3_000);
  expect(long).toHaveLength(3_000);
  expect(long.filter((password) => getReason(password) === null)).toEqual([]);
  expect(long.filter((password) => getReason(password.toUpperCase()) === null)).toEqual([]);
});

test.each([
  ['none', 'kqzvwx', null],
  ['letters_digits', 'kqzvwx', 'characters'],
  ['letters_digits', '8360952', 'characters'],
  ['letters_digits', 'kqzvw8', null],
  ['letters_digits', 'KQZVW8', null],
  ['lower_upper_letters_digits', 'kqzvw8', 'characters'],
  ['lower_upper_letters_digits', 'KQZVW8', 'characters'],
  ['lower_upper_letters_digits', 'kQzvwx', 'characters'],
  ['lower_upper_letters_digits', 'kQzvw8', null],
  ['lower_upper_letters_digits_symbols', 'kQzvw8', 'characters'],
  ...Array.from(
    '!@#$%^&*()_+-=[]{};\'\\:"|<>?,./`~',
    (symbol) => ['lower_upper_letters_digits_symbols', `kQzvw8${symbol}`, null] as const,
  ),
] as const)('with the rule %s, %s is refused for %j', (passwordRequired, password, reason) => {
  const config = { passwordMinLength: 6, passwordRequired, breachedCheck: true } as const;
  const check = () => checkPassword(onlyGiven<AuthContext>({ config, isBreached: () => false }), password);
  if (reason === null) check();
  else expect(check).toThrow('Password should contain at least one character of each: ');
});

test('the check of guessable and breached passwords can be disabled', () => {
  const check = (breachedCheck: boolean, password: string) => () => {
    const config = { passwordMinLength: 6, passwordRequired: 'none', breachedCheck } as const;
    checkPassword(onlyGiven<AuthContext>({ config, isBreached: (text) => text === 'kqzvwx8p' }), password);
  };
  for (const password of ['password', 'kqzvwx8p']) {
    expect(check(true, password)).toThrow(
      'Password is known to be weak and easy to guess, please choose a different one.',
    );
    check(false, password)();
  }
});

test('length is counted as the error message says [spec 8.2]', () => {
  expect(getReason('abcd5')).toEqual({ message: 'Password should be at least 6 characters', reasons: ['length'] });
  expect(getReason('kqzvwx8p', 10)).toEqual({
    message: 'Password should be at least 10 characters',
    reasons: ['length'],
  });
  expect(getReason('xy'.repeat(64).replace('y', 'q'))).toBeNull();
  expect(getReason(`${'xy'.repeat(64)}z`)).toBe('validation_failed');
});

test('every one of 128 characters counts, and so do capitals and accents [spec 5.6]', async () => {
  const long = `${'ä-long-phrase-'.repeat(10)}`.slice(0, 128);
  const stored = await hashPassword(long);
  expect(await passwordMatches(stored, long)).toBe(true);
  expect(await passwordMatches(stored, `${long.slice(0, 127)}!`)).toBe(false);
  expect(await passwordMatches(stored, long.toUpperCase())).toBe(false);
  expect(needsRehash(stored)).toBe(false);
});

test('a bcrypt hash of an imported account matches and needs a rehash', async () => {
  const stored = await bcryptHash('an imported phrase', 6);
  expect(await passwordMatches(stored, 'an imported phrase')).toBe(true);
  expect(await passwordMatches(stored, 'another phrase')).toBe(false);
  expect(needsRehash(stored)).toBe(true);
});

test('a missing hash never matches, and takes about as much processor time as a wrong password', async () => {
  const stored = await hashPassword('an own phrase');
  await passwordMatches(null, 'warm');
  // Compares the smallest processor times of alternating runs: a busy machine delays the work but adds little processor time.
  const least = { known: Infinity, unknown: Infinity };
  for (let n = 0; n < 15; n += 1)
    for (const [who, against] of [
      ['known', stored],
      ['unknown', null],
    ] as const) {
      const began = process.cpuUsage();
      expect(await passwordMatches(against, 'a wrong phrase')).toBe(false);
      const { user, system } = process.cpuUsage(began);
      least[who] = Math.min(least[who], user + system);
    }
  expect(least.unknown / least.known).toBeGreaterThan(0.5);
  expect(least.unknown / least.known).toBeLessThan(2);
});

test('a password longer than 72 bytes never matches a bcrypt hash', async () => {
  const password = 'a long phrase '.repeat(6).slice(0, 72);
  const stored = await bcryptHash(password, 4);
  expect(await passwordMatches(stored, password)).toBe(true);
  expect(await passwordMatches(stored, `${password}and more`)).toBe(false);
  const own = await hashPassword(password);
  expect(await passwordMatches(own, `${password}and more`)).toBe(false);
});

test('a list of breached passwords may hold passwords or hashes, and empty lines are ignored', () => {
  // SHA-1 of "hunter2".
  const breached = readBreached('letmein now\r\n\nF3BBBD66A63D4BF1747940578EC3D0103530E21D:17\n');
  for (const password of ['letmein now', 'hunter2']) expect(breached(password), password).toBe(true);
  for (const password of ['', 'letmein', 'a fine phrase']) expect(breached(password), password).toBe(false);
});
