import { describeError, errorCode, UNEXPECTED } from '#web/lib/errors.ts';

/** Maps the error of a refused sign-up to the title and text of its notice. */
export function explainSignUp(error: unknown): { title: string; description: string } {
  const code = errorCode(error);
  const text = describeError(error, '');
  // The specification identifies both errors by their messages; this server also sends codes.
  if (code === 'user_already_exists' || code === 'email_exists' || text.includes('User already registered'))
    return {
      title: 'Email already in use',
      description: 'An account with this email already exists. Please sign in instead or use a different email.',
    };
  if (
    (code === 'weak_password' && weaknesses(error).includes('length')) ||
    text.includes('Password should be at least')
  )
    return { title: 'Password too short', description: 'Password must be at least 6 characters long.' };
  const message = describeError(error, UNEXPECTED);
  return { title: message === UNEXPECTED ? 'Error' : 'Sign up failed', description: message };
}

/** Returns the reasons why a password is weak, in the terms of supabase-js: `length`, `characters`, `pwned`. */
function weaknesses(error: unknown): readonly unknown[] {
  if (error === null || typeof error !== 'object' || !('reasons' in error)) return [];
  return Array.isArray(error.reasons) ? error.reasons : [];
}
