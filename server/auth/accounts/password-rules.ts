import { createHash } from 'node:crypto';
import type { AuthConfig } from '../core/config.ts';
import { refuse } from '../core/errors.ts';
import { checkCommon, checkLength } from './passwords.ts';

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const DIGITS = '0123456789';
const SYMBOLS = '!@#$%^&*()_+-=[]{};\'\\:"|<>?,./`~';
/** Character groups that each need one character, as on hosted Supabase. */
const GROUPS: Readonly<Record<AuthConfig['passwordRequired'], readonly string[]>> = {
  none: [],
  letters_digits: [LOWER + UPPER, DIGITS],
  lower_upper_letters_digits: [LOWER, UPPER, DIGITS],
  lower_upper_letters_digits_symbols: [LOWER, UPPER, DIGITS, SYMBOLS],
};

/** Creates the check of new passwords by the operator's rules: length, characters, common and breached passwords. */
export function createPasswordRules(dependencies: {
  config: Pick<AuthConfig, 'passwordMinLength' | 'passwordRequired' | 'breachedCheck'>;
  breached: BreachedPasswords;
}): (password: string) => void {
  const { passwordMinLength, passwordRequired, breachedCheck } = dependencies.config;
  const groups = GROUPS[passwordRequired];
  return (password) => {
    checkLength(password, passwordMinLength);
    if (breachedCheck) checkCommon(password);
    if (!groups.every((group) => Array.from(password).some((character) => group.includes(character))))
      throw refuse.weak(`Password should contain at least one character of each: ${groups.join(', ')}`, 'characters');
    if (breachedCheck && dependencies.breached(password))
      throw refuse.weak('Password is known to be weak and easy to guess, please choose a different one.', 'pwned');
  };
}

/** Whether a password is in a list of breached ones. */
export type BreachedPasswords = (password: string) => boolean;

const PREFIX_BYTES = 8;
/**
 * Reads a list of breached passwords, plain or as SHA-1 (`hash:count` too), one a line.
 * Stores only the first bytes of hashes: they need little memory and do not reveal the passwords.
 */
export function readBreached(text: string): BreachedPasswords {
  const prefix = (hash: string): string => hash.slice(0, PREFIX_BYTES * 2).toLowerCase();
  const sha1 = (password: string): string => createHash('sha1').update(password).digest('hex');
  const prefixes = new Set<string>();
  for (const line of text.split(/\r?\n/)) {
    const hash = /^([\da-f]{40})(:\d+)?$/i.exec(line)?.[1];
    if (line !== '') prefixes.add(prefix(hash ?? sha1(line)));
  }
  return (password) => prefixes.has(prefix(sha1(password)));
}
