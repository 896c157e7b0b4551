import { expect, it } from 'vitest';
import { explainSignUp } from './sign-up-errors.ts';

it('a refused sign-up gets the specified title and text', () => {
  expect(explainSignUp('User already registered')).toEqual({
    title: 'Email already in use',
    description: 'An account with this email already exists. Please sign in instead or use a different email.',
  });
  expect(explainSignUp('Password should be at least 6 characters.')).toEqual({
    title: 'Password too short',
    description: 'Password must be at least 6 characters long.',
  });
  expect(explainSignUp('Signups not allowed for this instance')).toEqual({
    title: 'Sign up failed',
    description: 'Signups not allowed for this instance',
  });
  expect(explainSignUp('An unexpected error occurred. Please try again.').title).toBe('Error');
});
