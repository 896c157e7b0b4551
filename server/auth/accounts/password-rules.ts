import { createHash } from 'node:crypto';
import type { AuthConfig } from '../core/config.ts';
import { refuse } from '../core/errors.ts';
import { checkGuesses, checkLength } from './passwords.ts';

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const DIGITS = '0123456789';
const SYMBOLS = '!@#$%^&*()_+-=[]{};\'\\:"|<>?,./`~';
/** What a password must hold one of each, as hosted Supabase groups it. */
const GROUPS: Readonly<Record<AuthConfig['passwordRequired'], readonly string[]>> = {
  none: [],
  letters_digits: [LOWER + UPPER, DIGITS],
  lower_upper_letters_digits: [LOWER, UPPER, DIGITS],
  lower_upper_letters_digits_symbols: [LOWER, UPPER, DIGITS, SYMBOLS],
};

/** The operator's rules for a new password: its length, what it must hold, and the lists of what is guessed first. */
export function createPasswordRules(parts: {
  config: Pick<AuthConfig, 'passwordMinLength' | 'passwordRequired' | 'breachedCheck'>;
  breached: BreachedPasswords;
}): (password: string) => void {
  const { passwordMinLength, passwordRequired, breachedCheck } = parts.config;
  const groups = GROUPS[passwordRequired];
  return (password) => {
    checkLength(password, passwordMinLength);
    if (breachedCheck) checkGuesses(password);
    if (!groups.every((group) => Array.from(password).some((message) => group.includes(message))))
      throw refuse.weak(`Password should contain at least one character of each: ${groups.join(', ')}`, 'characters');
    if (breachedCheck && parts.breached(password))
      throw refuse.weak('Password is known to be weak and easy to guess, please choose a different one.', 'pwned');
  };
}

/** Whether a password stands in a list of breaches. */
export type BreachedPasswords = (password: string) => boolean;

const MARK_BYTES = 8;
/** Reads a list with one password, or the SHA-1 of one (`hash:count` too), a line. Kept as the first bytes of hashes: small, and no password lies in memory. */
export function readBreached(text: string): BreachedPasswords {
  const mark = (hash: string): string => hash.slice(0, MARK_BYTES * 2).toLowerCase();
  const sha1 = (password: string): string => createHash('sha1').update(password).digest('hex');
  const known = new Set<string>();
  for (const line of text.split(/\r?\n/)) {
    const hash = /^([\da-f]{40})(:\d+)?$/i.exec(line)?.[1];
    if (line !== '') known.add(mark(hash ?? sha1(line)));
  }
  return (password) => known.has(mark(sha1(password)));
}
