import { describe, expect, it } from 'vitest';
import {
  ageOn,
  firstError,
  isAdult,
  normalisePhone,
  passwordChangeSchema,
  sanitiseName,
  signInSchema,
  signUpSchema,
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

describe('people', () => {
  it('are 18 on their birthday and not a day before', () => {
    expect(ageOn('2008-11-21', '2026-11-21')).toBe(18);
    expect(isAdult('2008-11-22', '2026-11-21')).toBe(false);
    expect([ageOn('2008-02-29', '2026-02-28'), ageOn('2008-02-29', '2026-03-01')]).toEqual([17, 18]);
  });

  it('have phones that are stored with their country', () => {
    expect(normalisePhone('0400 000 000')).toBe('+61400000000');
    expect(normalisePhone('+44 20 7946 0000')).toBe('+442079460000');
    expect(normalisePhone('(02) 9000 0000')).toBe('+61290000000');
    expect(normalisePhone('abcdefghij')).toBeNull();
    expect(normalisePhone('12345')).toBeNull();
  });

  it('read what is wrong in the words of the specification', () => {
    expect(wrong({})).toBe('fine');
    expect(wrong({ fullName: ' a ' })).toBe('Full name must be at least 2 characters');
    expect(wrong({ fullName: 'a'.repeat(101) })).toBe('Full name must be less than 100 characters');
    expect(wrong({ email: 'nobody' })).toBe('Please enter a valid email address');
    expect(wrong({ email: `${'a'.repeat(250)}@example.com` })).toBe('Email must be less than 255 characters');
    expect(wrong({ phone: 'abcdefghij' })).toBe('Phone number must be at least 10 digits');
    expect(wrong({ phone: '1'.repeat(21) })).toBe('Phone number must be less than 20 characters');
    expect(wrong({ djName: 'x'.repeat(101) })).toBe('DJ name must be less than 100 characters');
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

  it('have names that are safe in a path', () => {
    expect(sanitiseName('../../Zoë O’Brien <script>')).toBe('Zoe-O-Brien-script');
    expect(sanitiseName('x'.repeat(80))).toHaveLength(50);
  });
});
