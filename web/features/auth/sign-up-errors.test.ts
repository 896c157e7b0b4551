import { AuthApiError, AuthWeakPasswordError } from '@supabase/supabase-js';
import { expect, it } from 'vitest';
import { explainSignUp } from './sign-up-errors.ts';

it('a refused sign-up gets the specified title and text', () => {
  expect(explainSignUp(new AuthApiError('User already registered', 422, 'user_already_exists'))).toEqual({
    title: 'Email already in use',
    description: 'An account with this email already exists. Please sign in instead or use a different email.',
  });
  expect(
    explainSignUp(new AuthWeakPasswordError('Password should be at least 6 characters.', 422, ['length'])),
  ).toEqual({
    title: 'Password too short',
    description: 'Password must be at least 6 characters long.',
  });
  expect(explainSignUp(new AuthWeakPasswordError('This password is known.', 422, ['pwned']))).toEqual({
    title: 'Sign up failed',
    description: 'This password is known.',
  });
  expect(explainSignUp(new AuthApiError('Signups not allowed for this instance', 422, 'signup_disabled'))).toEqual({
    title: 'Sign up failed',
    description: 'Signups not allowed for this instance',
  });
  expect(explainSignUp(new TypeError('Failed to fetch'))).toEqual({
    title: 'Error',
    description: 'An unexpected error occurred. Please try again.',
  });
});
