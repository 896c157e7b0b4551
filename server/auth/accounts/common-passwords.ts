import { dictionary } from '@zxcvbn-ts/language-common';

/** Words of this server's own field, and names of sites, which lists of leaked passwords have further down. */
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
/** Words this common are refused with digits or leet spelling too. */
const WORDS = 3_000;

const leaked = dictionary['passwords-common'];

/** The passwords found most often in leaks, lower case: about 49,000, the most common first. */
export const commonPasswords: ReadonlySet<string> = new Set([...leaked, ...OWN]);

/** The most common of them, which are easy to guess with some digits at the end as well. */
export const commonWords: ReadonlySet<string> = new Set([...leaked.slice(0, WORDS), ...OWN]);
