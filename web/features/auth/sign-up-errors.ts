import { UNEXPECTED } from '#web/lib/errors.ts';

/** Maps the server message of a refused sign-up to the title and text of its notice. */
export function explainSignUp(message: string): { title: string; description: string } {
  if (message.includes('User already registered'))
    return {
      title: 'Email already in use',
      description: 'An account with this email already exists. Please sign in instead or use a different email.',
    };
  if (message.includes('Password should be at least'))
    return { title: 'Password too short', description: 'Password must be at least 6 characters long.' };
  if (message === UNEXPECTED) return { title: 'Error', description: message };
  return { title: 'Sign up failed', description: message };
}
