import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { z } from 'zod';
import {
  ageOn,
  customerSchema,
  findHidden,
  firstError,
  isAdult,
  isPlain,
  isPlainLines,
  normalisePhone,
  passwordChangeSchema,
  profileSchema,
  sanitiseName,
  signInSchema,
  signUpSchema,
  storedPhone,
  verificationCodeSchema,
} from './people.ts';

const person = {
  fullName: 'Alex Citizen',
  email: 'alex@example.com',
  phone: '0400 000 000',
  password: 'secret1',
  dateOfBirth: '1998-04-03',
};
const wrong = (change: Record<string, unknown>): string => {
  const result = signUpSchema.safeParse({ ...person, ...change });
  return result.error ? firstError(result.error) : 'fine';
};

const profile = { fullName: person.fullName, email: person.email, phone: person.phone };
const messages = (schema: z.ZodType, value: unknown): string[] =>
  schema.safeParse(value).error?.issues.map((issue) => issue.message) ?? [];

describe('people', () => {
  it('are 18 on their birthday and not a day before [spec 5.8, 9.10]', () => {
    expect(ageOn('2008-11-21', '2026-11-21')).toBe(18);
    expect(isAdult('2008-11-22', '2026-11-21')).toBe(false);
    expect([ageOn('2008-02-29', '2026-02-28'), ageOn('2008-02-29', '2026-03-01')]).toEqual([17, 18]);
  });

  it('are as old as the number of their birthdays', () => {
    const from = Date.UTC(1930, 0, 1) / 86_400_000;
    const until = Date.UTC(2030, 11, 31) / 86_400_000;
    const days = fc.integer({ min: from, max: until });
    const iso = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10);
    fc.assert(
      fc.property(days, days, (first, other) => {
        const [born, on] = [iso(Math.min(first, other)), iso(Math.max(first, other))];
        // Count birthdays one by one; Date.UTC moves 29 February to 1 March in common years.
        let birthdays = 0;
        const [year = 0, month = 1, day = 1] = born.split('-').map(Number);
        for (let next = year + 1; Date.UTC(next, month - 1, day) <= Date.parse(`${on}T00:00:00Z`); next += 1)
          birthdays += 1;
        expect(ageOn(born, on)).toBe(birthdays);
        expect(isAdult(born, on)).toBe(birthdays >= 18);
      }),
      { numRuns: 1_000 },
    );
    expect([ageOn('2008-02-29', '2028-02-28'), ageOn('2008-02-29', '2028-02-29')]).toEqual([19, 20]);
    expect(isAdult('2030-01-01', '2026-11-21')).toBe(false);
  });

  it('have phone numbers stored with the country code', () => {
    expect(normalisePhone('0400 000 000')).toBe('+61400000000');
    expect(normalisePhone('+44 20 7946 0000')).toBe('+442079460000');
    expect(normalisePhone('(02) 9000 0000')).toBe('+61290000000');
    expect(normalisePhone('+61 (0)400 000 000')).toBe('+61400000000');
    expect(normalisePhone('61 400 000 000')).toBe('+61400000000');
    expect(normalisePhone('0011 44 20 7946 0000')).toBe('+442079460000');
    expect(normalisePhone('1300 000 000')).toBe('+611300000000');
    expect(normalisePhone('0412 001 123')).toBe('+61412001123');
    expect(normalisePhone('1 202 555 0123')).toBe('+12025550123');
    expect(normalisePhone('64 21 000 000')).toBe('+6421000000');
    expect(normalisePhone('0400 000 00x')).toBeNull();
    expect(normalisePhone('1'.repeat(16))).toBeNull();
    expect(normalisePhone('abcdefghij')).toBeNull();
    expect(normalisePhone('12345')).toBeNull();
    expect(storedPhone('0400 000 000')).toBe('+61400000000');
    expect(storedPhone('1'.repeat(18))).toBe('1'.repeat(18));
  });

  it('get the specified message for each invalid field [spec 5.5, 5.6, 5.7, 9.11]', () => {
    expect(wrong({})).toBe('fine');
    expect(wrong({ fullName: ' a ' })).toBe('Full name must be at least 2 characters');
    expect(wrong({ fullName: 'a'.repeat(101) })).toBe('Full name must be less than 100 characters');
    expect(wrong({ email: 'nobody' })).toBe('Please enter a valid email address');
    expect(wrong({ email: `${'a'.repeat(250)}@example.com` })).toBe('Email must be less than 255 characters');
    expect(wrong({ phone: 'abcdefghij' })).toBe('Phone number must be at least 10 digits');
    expect(wrong({ phone: '1'.repeat(21) })).toBe('Phone number must be less than 20 characters');
    expect(wrong({ djName: 'x'.repeat(101) })).toBe('DJ name must be less than 100 characters');
    expect(wrong({ djName: ` ${'x'.repeat(100)} ` })).toBe('fine');
    expect(signUpSchema.parse({ ...person, djName: ' DJ Alex ' }).djName).toBe('DJ Alex');
    expect(wrong({ password: '12345' })).toBe('Password must be at least 6 characters');
    expect(wrong({ password: 'x'.repeat(129) })).toBe('Password must be less than 128 characters');
    expect(wrong({ dateOfBirth: '' })).toBe('Date of birth is required');
    expect(wrong({ dateOfBirth: '2026-02-31' })).toBe('Date of birth is required');
    expect(signInSchema.safeParse({ email: ' alex@example.com ', password: '123456' }).data?.email).toBe(
      'alex@example.com',
    );
    expect(verificationCodeSchema.safeParse('12345a').error?.issues[0]?.message).toBe(
      'Please enter the 6-digit verification code.',
    );
    expect(passwordChangeSchema.safeParse({ password: 'a', confirm: 'b' }).error?.issues[0]?.message).toBe(
      "New password and confirmation don't match.",
    );
    expect(passwordChangeSchema.safeParse({ password: 'a', confirm: 'a' }).error?.issues[0]?.message).toBe(
      'Password must be at least 6 characters long.',
    );
  });

  it.each([
    ['profile', profileSchema],
    ['customer', customerSchema],
  ])('get the same messages from the %s [spec 3.20, 5.2, 5.3, 5.4, 5.17]', (_, schema) => {
    const at = (change: Record<string, unknown>): string[] => messages(schema, { ...profile, ...change });
    expect(at({})).toEqual([]);
    expect(at({ fullName: 'a' })).toEqual(['Full name must be at least 2 characters']);
    expect(at({ fullName: 'a'.repeat(101) })).toEqual(['Full name must be less than 100 characters']);
    expect(at({ email: 'nobody@' })).toEqual(['Please enter a valid email address']);
    expect(at({ email: `${'a'.repeat(244)}@example.com` })).toEqual(['Email must be less than 255 characters']);
    expect(at({ phone: '040000000' })).toEqual(['Phone number must be at least 10 digits']);
    expect(at({ phone: '0'.repeat(21) })).toEqual(['Phone number must be less than 20 characters']);
  });

  it('can fill each field to its limit [spec 9.11]', () => {
    expect(wrong({ fullName: 'a'.repeat(100), phone: '0'.repeat(20), djName: 'x'.repeat(100) })).toBe('fine');
    expect(wrong({ fullName: 'Al', phone: '0'.repeat(10), djName: '', password: '123456' })).toBe('fine');
    expect(wrong({ password: 'x'.repeat(128) })).toBe('fine');
    expect(wrong({ dateOfBirth: undefined })).toBe('Date of birth is required');
  });

  it('get the first error in the order of the form [spec 5.10]', () => {
    expect(wrong({ fullName: '', email: '', password: '' })).toBe('Full name must be at least 2 characters');
    expect(wrong({ email: '', password: '' })).toBe('Please enter a valid email address');
  });

  it('sign in with an email and a password of at least six characters [spec 5.1]', () => {
    const at = (email: string, password: string): string[] => messages(signInSchema, { email, password });
    expect(at(' alex@example.com ', '123456')).toEqual([]);
    expect(at('nobody', '123456')).toEqual(['Please enter a valid email address']);
    expect(at('alex@example.com', '12345')).toEqual(['Password must be at least 6 characters']);
  });

  it('enter a verification code of exactly six digits [spec 5.12, 9.13]', () => {
    const refused = ['Please enter the 6-digit verification code.'];
    for (const code of ['', '12345', '1234567', '12345a', '123 456', '１２３４５６', '123456\n'])
      expect([code, messages(verificationCodeSchema, code)]).toEqual([code, refused]);
    expect(messages(verificationCodeSchema, '012345')).toEqual([]);
  });

  it('have their names made safe for a path [spec 7.28, 9.15]', () => {
    expect(sanitiseName('../../Zoë O’Brien <script>')).toBe('Zoe-O-Brien-script');
    expect(sanitiseName('x'.repeat(80))).toHaveLength(50);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        expect(sanitiseName(name)).toMatch(/^[A-Za-z0-9-]{0,50}$/);
      }),
    );
  });
});

describe('lengths at their limits', () => {
  it('accepts phone numbers of 10 to 15 digits', () => {
    expect(normalisePhone('+1234567890')).toBe('+1234567890');
    expect(normalisePhone('+123456789')).toBeNull();
    expect(normalisePhone('+123456789012345')).toBe('+123456789012345');
    expect(normalisePhone('+1234567890123456')).toBeNull();
  });
  it('keeps a number with a plus, and treats one without as Australian', () => {
    expect(normalisePhone('+0400123456')).toBe('+0400123456');
    expect(normalisePhone('0400123456')).toBe('+61400123456');
    expect(normalisePhone(' +1300123456')).toBe('+1300123456');
    expect(normalisePhone('1300123456')).toBe('+611300123456');
  });
  it('accepts a new password of exactly six characters', () => {
    expect(passwordChangeSchema.safeParse({ password: '123456', confirm: '123456' }).success).toBe(true);
    expect(passwordChangeSchema.safeParse({ password: '12345', confirm: '12345' }).success).toBe(false);
  });
  it('ignores spaces around a phone number when it counts its length', () => {
    const customer = { fullName: 'Alex Citizen', email: 'alex@example.com', phone: `  0400 123 456${' '.repeat(20)}` };
    expect(customerSchema.safeParse(customer).data?.phone).toBe('0400 123 456');
  });
});

describe('a plain text', () => {
  test.each(['', 'Zoë O’Brien-Smith', '李雷', 'محمد', 'नमस्ते', '👩‍🎤', 'می‌خواهم', 'a b'])('%j is one', (text) => {
    expect([isPlain(text), isPlainLines(text)]).toEqual([true, true]);
  });

  test.each([
    '\u0000',
    '\u0007',
    '\u001b',
    '\u007f',
    '\u0085',
    '\u00ad',
    '\u061c',
    '\u200b',
    '\u200e',
    '\u200f',
    '\u2028',
    '\u2029',
    '\u202a',
    '\u202e',
    '\u2060',
    '\u2066',
    '\u2069',
    '\ufeff',
    '\ufff9',
  ])('one with %j is not', (hidden) => {
    expect([isPlain(`a${hidden}b`), isPlainLines(`a${hidden}b`)]).toEqual([false, false]);
  });

  test.each(['\n', '\r\n', '\t'])('one with %j is only as several lines', (text) => {
    expect([isPlain(`a${text}b`), isPlainLines(`a${text}b`)]).toEqual([false, true]);
  });
});

test('hidden characters are found anywhere in a JSON value, with their path', () => {
  expect(findHidden({ a: ['x', { b: 'c\u202e' }] })).toEqual(['a', '1', 'b']);
  expect(findHidden({ a: { 'b\u202e': 1 } })).toEqual(['a']);
  expect(findHidden('\u202e')).toEqual([]);
  expect(findHidden({ a: 'one\ntwo', b: 1, c: null, d: [true] })).toBeNull();
});
