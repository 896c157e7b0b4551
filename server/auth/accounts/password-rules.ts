import type { AuthConfig } from '../core/config.ts';
import { refuse } from '../core/errors.ts';
import { isGuessable } from './guessable-passwords.ts';
import type { AuthContext } from '../core/context.ts';

const LENGTH_MAX = 128;
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const DIGITS = '0123456789';
const SYMBOLS = '!@#$%^&*()_+-=[]{};\'\\:"|<>?,./`~';
/** Character groups, as in Supabase Auth. A password needs at least one character of each. */
const GROUPS: Readonly<Record<AuthConfig['passwordRequired'], readonly string[]>> = {
  none: [],
  letters_digits: [LOWER + UPPER, DIGITS],
  lower_upper_letters_digits: [LOWER, UPPER, DIGITS],
  lower_upper_letters_digits_symbols: [LOWER, UPPER, DIGITS, SYMBOLS],
};

/** Checks a new password against the operator's rules: length, characters, common and breached ones. Throws Supabase Auth's errors. */
export function checkPassword({ config, isBreached }: AuthContext, password: string): void {
  checkLength(password, config.passwordMinLength);
  if (config.breachedCheck && isGuessable(password)) throw breachedError();
  checkGroups(password, GROUPS[config.passwordRequired]);
  if (config.breachedCheck && isBreached(password)) throw breachedError();
}

function checkLength(password: string, minLength: number): void {
  if (password.length < minLength) throw refuse.weak(`Password should be at least ${minLength} characters`, 'length');
  if (password.length > LENGTH_MAX) throw refuse.validation('Password cannot be longer than 128 characters');
}

function checkGroups(password: string, groups: readonly string[]): void {
  const characters = Array.from(password);
  if (groups.every((group) => characters.some((character) => group.includes(character)))) return;
  throw refuse.weak(`Password should contain at least one character of each: ${groups.join(', ')}`, 'characters');
}

function breachedError(): Error {
  return refuse.weak('Password is known to be weak and easy to guess, please choose a different one.', 'pwned');
}
