import { hash as argonHash, verify as argonVerify } from '@node-rs/argon2';
import { verify as bcryptVerify } from '@node-rs/bcrypt';
import { commonPasswords } from './common-passwords.ts';
import { refuse } from '../core/errors.ts';

/** OWASP's parameters for argon2id: 19 MiB, two passes, one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** Hashing uses a core for 20 ms. More at once would starve all other requests. */
const CONCURRENT_MAX = 2;

const BCRYPT_BYTES = 72;

let running = 0;
const waiting: (() => void)[] = [];
async function withHashSlot<T>(work: () => Promise<T>): Promise<T> {
  if (running >= CONCURRENT_MAX) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

export function hashPassword(password: string): Promise<string> {
  return withHashSlot(() => argonHash(password, COST));
}

let decoy: Promise<string> | null = null;
/** Whether a password matches a stored hash (argon2id, or bcrypt of imported accounts). Without a hash, takes as long and returns false. */
export async function passwordFits(stored: string | null, password: string): Promise<boolean> {
  decoy ??= hashPassword('nobody has this password');
  const against = stored ?? (await decoy);
  const bcrypt = against.startsWith('$2');
  const fits = await withHashSlot(() => (bcrypt ? bcryptVerify(password, against) : argonVerify(against, password)));
  // bcrypt ignores bytes after the 72nd, so a longer password must not match.
  const whole = !bcrypt || Buffer.byteLength(password) <= BCRYPT_BYTES;
  return fits && whole && stored !== null;
}
export function needsRehash(stored: string): boolean {
  return !stored.startsWith('$argon2id$v=19$m=19456,t=2,p=1$');
}

/** Checks the length. Throws `weak_password` with GoTrue's reasons. */
export function checkLength(password: string, minLength: number): void {
  if (password.length < minLength) throw refuse.weak(`Password should be at least ${minLength} characters`, 'length');
  if (password.length > 128) throw refuse.validation('Password cannot be longer than 128 characters');
}

/** Refuses common passwords. Throws `weak_password` with GoTrue's reasons. */
export function checkCommon(password: string): void {
  if (isCommon(password))
    throw refuse.weak('Password is known to be weak and easy to guess, please choose a different one.', 'pwned');
}

/** Alphabet, digits and keyboard rows. Any part of one, in either direction, is easy to guess. */
const KEYBOARD_RUNS = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'qazwsxedcrfvtgbyhnujmikolp',
];
const LEET: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

/** Whether a password is easy to guess: a common word with digits or leet spelling, a repeated piece, or a keyboard run. */
function isCommon(password: string): boolean {
  const plain = password.toLowerCase().normalize('NFKC');
  if (/^(.{1,3})\1+$/u.test(plain)) return true;
  const reversed = Array.from(plain).toReversed().join('');
  if (KEYBOARD_RUNS.some((run) => run.includes(plain) || run.includes(reversed))) return true;
  const word = plain.replace(/[\d\W_]{1,4}$/u, '');
  const unleeted = Array.from(plain)
    .map((character) => LEET[character] ?? character)
    .join('');
  const bare = Array.from(word)
    .map((character) => LEET[character] ?? character)
    .join('');
  return [plain, unleeted, word, bare].some((text) => text.length >= 4 && commonPasswords.has(text));
}
