import { AuthApiError, AuthWeakPasswordError } from '@supabase/supabase-js';
import { expect, it } from 'vitest';
import { explainSignUp } from './sign-up-errors.ts';

it('a refused sign-up gets the specified title and text [spec 8.1, 8.2, 8.3]', () => {
  expect(explainSignUp(new AuthApiError('User already registered', 422, 'user_already_exists'))).toEqual({
    title: 'Email already in use',
    description: 'An account with this email already exists. Please sign in instead or use a different email.',
  });
  // A service that sends no codes is recognised by the message.
  expect(explainSignUp(new Error('User already registered')).title).toBe('Email already in use');
  expect(explainSignUp(new Error('Password should be at least 6 characters.')).title).toBe('Password too short');
  const short = new AuthWeakPasswordError('Password should be at least 6 characters.', 422, ['length']);
  expect(explainSignUp(short)).toEqual({
    title: 'Password too short',
    description: 'Password must be at least 6 characters long.',
  });
  const common = new AuthWeakPasswordError('Password is easy to guess', 422, ['pwned']);
  expect(explainSignUp(common)).toEqual({ title: 'Sign up failed', description: 'Password is easy to guess' });
  expect(explainSignUp(new AuthApiError('Signups not allowed for this instance', 422, 'signup_disabled'))).toEqual({
    title: 'Sign up failed',
    description: 'Signups not allowed for this instance',
  });
  expect(explainSignUp(new Error('Failed to fetch')).title).toBe('Error');
});
