import { hash as argonHash, verify as argonVerify } from '@node-rs/argon2';
import { verify as bcryptVerify } from '@node-rs/bcrypt';

/** OWASP's parameters for argon2id: 19 MiB, two passes, one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** Hashing occupies a core for 20 ms. More concurrent hashes would starve all other requests. */
const CONCURRENT_MAX = 2;
/** bcrypt ignores all bytes after the 72nd. */
const BCRYPT_BYTES = 72;

export function hashPassword(password: string): Promise<string> {
  return withHashSlot(() => argonHash(password, COST));
}

let decoy: Promise<string> | null = null;
/**
 * Whether a password matches a stored hash (argon2id, or bcrypt of imported accounts). Without a hash it returns false after the same time.
 */
export async function passwordMatches(stored: string | null, password: string): Promise<boolean> {
  decoy ??= hashPassword('a password of no account');
  const against = stored ?? (await decoy);
  const bcrypt = against.startsWith('$2');
  const matches = await withHashSlot(() => (bcrypt ? bcryptVerify(password, against) : argonVerify(against, password)));
  // A password longer than bcrypt reads must not match.
  const whole = !bcrypt || Buffer.byteLength(password) <= BCRYPT_BYTES;
  return matches && whole && stored !== null;
}

/** Whether a stored hash uses a different algorithm or different parameters than `COST`. */
export function needsRehash(stored: string): boolean {
  return !stored.startsWith('$argon2id$v=19$m=19456,t=2,p=1$');
}

let running = 0;
const waiting: (() => void)[] = [];

/** Runs `work` once fewer than `CONCURRENT_MAX` others are running. */
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
