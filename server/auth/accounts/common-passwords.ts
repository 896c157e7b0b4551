import { dictionary } from '@zxcvbn-ts/language-common';

/** Words from the world of this server's users, and names of sites. Lists of leaked passwords rank them lower. */
const OWN = [
  'bitcoin',
  'bondi',
  'djstudio',
  'dubstep',
  'guest123',
  'hotmail',
  'login',
  'rekordbox',
  'serato',
  'soundcloud',
  'spotify',
  'twitter',
  'yahoo',
];
/** The most common words up to this rank are refused with digits or leet spelling too. */
const WORDS = 3_000;

const leaked = dictionary['passwords-common'];

/** The passwords found most often in leaks, lower case: about 49,000, the most common first. */
export const commonPasswords: ReadonlySet<string> = new Set([...leaked, ...OWN]);

/** The most common passwords, which are easy to guess even with a few digits at the end. */
export const commonWords: ReadonlySet<string> = new Set([...leaked.slice(0, WORDS), ...OWN]);
