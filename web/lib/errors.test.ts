import { expect, it } from 'vitest';
import { describeError, errorCode } from './errors.ts';

it('returns the message of the server', () => {
  expect(describeError(new Error('Email not confirmed'), 'fallback')).toBe('Email not confirmed');
  expect(describeError({ message: 'permission denied', code: '42501' }, 'fallback')).toBe('permission denied');
});

it('returns the fallback for JSON, network messages and empty messages', () => {
  for (const message of ['', '{}', '[{"a":1}]', 'Failed to fetch', 'TypeError: Load failed'])
    expect(describeError(new Error(message), 'fallback')).toBe('fallback');
  for (const thrown of [null, undefined, 'text', 7, {}, { message: 7 }])
    expect(describeError(thrown, 'fallback')).toBe('fallback');
});

it('reads the code of an error', () => {
  expect(errorCode(Object.assign(new Error('x'), { code: 'email_not_confirmed' }))).toBe('email_not_confirmed');
  expect(errorCode(new Error('x'))).toBe('');
});
