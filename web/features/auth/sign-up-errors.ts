import { describeError, errorCode, UNEXPECTED } from '#web/lib/errors.ts';

/** Returns the title and text, fixed by the specification, for a refused sign-up. */
export function explainSignUp(error: unknown): { title: string; description: string } {
  if (errorCode(error) === 'user_already_exists')
    return {
      title: 'Email already in use',
      description: 'An account with this email already exists. Please sign in instead or use a different email.',
    };
  if (errorCode(error) === 'weak_password' && reasonsOf(error).includes('length'))
    return { title: 'Password too short', description: 'Password must be at least 6 characters long.' };
  const message = describeError(error, UNEXPECTED);
  return { title: message === UNEXPECTED ? 'Error' : 'Sign up failed', description: message };
}

/** Returns why a password is too weak, as GoTrue names it: `length`, `pwned` and others. */
function reasonsOf(error: unknown): readonly unknown[] {
  if (error === null || typeof error !== 'object' || !('reasons' in error)) return [];
  return Array.isArray(error.reasons) ? error.reasons : [];
}
