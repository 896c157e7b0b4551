import { commonPasswords, commonWords } from './common-passwords.ts';

/** Alphabet, digits and keyboard rows. Any part of a run, in either direction, is easy to guess. */
const KEYBOARD_RUNS = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'qazwsxedcrfvtgbyhnujmikolp',
];
const LEET: ReadonlyMap<string, string> = new Map([
  ['0', 'o'],
  ['1', 'i'],
  ['3', 'e'],
  ['4', 'a'],
  ['5', 's'],
  ['7', 't'],
  ['@', 'a'],
  ['$', 's'],
  ['!', 'i'],
]);

/** Whether a password is easy to guess: a common one, a common word with digits or leet spelling, a repeated piece, or a keyboard run. */
export function isGuessable(password: string): boolean {
  const plain = password.toLowerCase().normalize('NFKC');
  if (commonPasswords.has(plain) || /^(.{1,3})\1+$/u.test(plain)) return true;
  const reversed = Array.from(plain).toReversed().join('');
  if (KEYBOARD_RUNS.some((run) => run.includes(plain) || run.includes(reversed))) return true;
  const word = plain.replace(/[\d\W_]{1,4}$/u, '');
  const unleeted = Array.from(plain)
    .map((character) => LEET.get(character) ?? character)
    .join('');
  const bare = Array.from(word)
    .map((character) => LEET.get(character) ?? character)
    .join('');
  return [unleeted, word, bare].some((text) => text.length >= 4 && commonWords.has(text));
}
