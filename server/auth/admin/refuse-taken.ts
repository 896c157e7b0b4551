import { isUniqueViolation } from '#server/db/database.ts';
import { refuse } from '../core/errors.ts';

/** Turns a unique violation into the API's error for a taken email or phone; rethrows any other error. */
export function refuseTaken(error: unknown): never {
  if (!isUniqueViolation(error)) throw error;
  throw error.constraint === 'users_phone' ? refuse.phoneExists() : refuse.emailExists();
}
