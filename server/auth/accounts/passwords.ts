import { hash as argonHash, verify as argonVerify } from '@node-rs/argon2';
import { verify as bcryptVerify } from '@node-rs/bcrypt';
import { commonPasswords } from './common-passwords.ts';
import { refuse } from '../core/errors.ts';

/** OWASP's figures for argon2id: 19 MiB, two passes, one lane (promises section 0). */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** Hashing takes a core for 20 ms: more at once would only starve everything else. */
const AT_ONCE = 2;

const BCRYPT_BYTES = 72;

let running = 0;
const waiting: (() => void)[] = [];
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
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
  return inTurn(() => argonHash(password, COST));
}

let decoy: Promise<string> | null = null;
/** Whether a password fits a stored hash (argon2id, or bcrypt of imported accounts). Without a hash it takes as long and says no. */
export async function passwordFits(stored: string | null, password: string): Promise<boolean> {
  decoy ??= hashPassword('nobody has this password');
  const against = stored ?? (await decoy);
  const bcrypt = against.startsWith('$2');
  const fits = await inTurn(() => (bcrypt ? bcryptVerify(password, against) : argonVerify(against, password)));
  // bcrypt reads no further than this: what follows would not count, and where such hashes come from nothing longer can be set.
  const whole = !bcrypt || Buffer.byteLength(password) <= BCRYPT_BYTES;
  return fits && whole && stored !== null;
}
export function needsRehash(stored: string): boolean {
  return !stored.startsWith('$argon2id$v=19$m=19456,t=2,p=1$');
}

/** Throws `weak_password` with the wire's reasons. */
export function checkLength(password: string, minLength: number): void {
  if (password.length < minLength) throw refuse.weak(`Password should be at least ${minLength} characters`, 'length');
  if (password.length > 128) throw refuse.validation('Password cannot be longer than 128 characters');
}

/** Refuses what is guessed first. Throws `weak_password` with the wire's reasons. */
export function checkGuesses(password: string): void {
  if (isGuessedFirst(password))
    throw refuse.weak('Password is known to be weak and easy to guess, please choose a different one.', 'pwned');
}

/** Rows that fingers run along: any piece of one, in either direction, is guessed early. */
const RUNS = [
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

/** Whether a guesser's list begins with this: a common word, plainly dressed up; one letter or piece repeated; a run along the keys. */
function isGuessedFirst(password: string): boolean {
  const plain = password.toLowerCase().normalize('NFKC');
  if (/^(.{1,3})\1+$/u.test(plain)) return true;
  const reversed = Array.from(plain).toReversed().join('');
  if (RUNS.some((run) => run.includes(plain) || run.includes(reversed))) return true;
  const word = plain.replace(/[\d\W_]{1,4}$/u, '');
  const unleeted = Array.from(plain)
    .map((message) => LEET[message] ?? message)
    .join('');
  const bare = Array.from(word)
    .map((message) => LEET[message] ?? message)
    .join('');
  return [plain, unleeted, word, bare].some((text) => text.length >= 4 && commonPasswords.has(text));
}
