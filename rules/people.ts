import { z } from 'zod';
import { isStudioDate, type StudioDate } from './studio-time.ts';

export const MINIMUM_AGE = 18;

/** Counts the whole years between two days. A birthday on 29 February is on 1 March in common years. */
export function ageOn(born: StudioDate, on: StudioDate): number {
  const [year = 0, month = 0, day = 0] = born.split('-').map(Number);
  const [thisYear = 0, thisMonth = 0, thisDay = 0] = on.split('-').map(Number);
  const birthdayPassed = thisMonth > month || (thisMonth === month && thisDay >= day);
  return thisYear - year - (birthdayPassed ? 0 : 1);
}
/** Whether a person born on `born` is 18 or older on `on`. */
export function isAdult(born: StudioDate, on: StudioDate): boolean {
  return ageOn(born, on) >= MINIMUM_AGE;
}

const countDigits = (text: string): number => text.replace(/\D/g, '').length;

/** Converts a phone number to E.164. A number without a country code counts as Australian. Null for a text that cannot be a phone number. */
export function normalisePhone(raw: string): string | null {
  // In Australia 0011 is dialled instead of the plus.
  const digits = raw.replace(/\D/g, '').replace(/^0011/, '');
  if (/[A-Za-z]/.test(raw) || digits.length < 10 || digits.length > 15) return null;
  if (raw.trim().startsWith('+')) return withoutTrunkZero(digits);
  if (digits.length === 10 && digits.startsWith('0')) return `+61${digits.slice(1)}`;
  // 1300 and 1800 numbers have no leading zero to drop.
  if (digits.length === 10 && digits.startsWith('1')) return `+61${digits}`;
  return withoutTrunkZero(digits);
}

/** Drops the zero of "+61 (0)400 …", which is only dialled inside the country. */
function withoutTrunkZero(digits: string): string {
  return `+${digits.replace(/^610/, '61')}`;
}

/** Formats a validated phone number for storage: E.164, or its digits when that is impossible. */
export function storedPhone(raw: string): string {
  return normalisePhone(raw) ?? raw.replace(/\D/g, '');
}

/*
 * Characters that are invisible and change what is read: control characters, characters that change the writing direction (a name with one
 * can look like another name), line and paragraph separators, and other invisible formatting. Joiners stay allowed because emoji and
 * several scripts need them. The database has the same list (`private.is_plain`).
 */
const HIDDEN =
  // eslint-disable-next-line no-control-regex -- finds control characters
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/u;
const BREAKS = /[\t\n\r]/g;

/** The message for a text with hidden characters. */
export const NOT_PLAIN = 'Please use only characters that can be seen.';

/** Whether a text of one line has no hidden characters. */
export function isPlain(text: string): boolean {
  return !HIDDEN.test(text);
}

/** Whether a text of several lines, which may contain tabs, has no hidden characters. */
export function isPlainLines(text: string): boolean {
  return isPlain(text.replaceAll(BREAKS, ' '));
}

/** Returns the path of the first text with hidden characters in a JSON value. Member names are checked too. Null if there is none. */
export function findHidden(value: unknown, path: readonly string[] = []): readonly string[] | null {
  if (typeof value === 'string') return isPlainLines(value) ? null : path;
  if (value === null || typeof value !== 'object') return null;
  for (const [name, inner] of Object.entries(value)) {
    if (!isPlainLines(name)) return path;
    const found = findHidden(inner, [...path, name]);
    if (found !== null) return found;
  }
  return null;
}

const fullName = z
  .string()
  .trim()
  .min(2, 'Full name must be at least 2 characters')
  .max(100, 'Full name must be less than 100 characters')
  .refine(isPlain, NOT_PLAIN);
const email = z
  .string()
  .trim()
  .max(255, 'Email must be less than 255 characters')
  .pipe(z.email('Please enter a valid email address'));
const phone = z
  .string()
  .trim()
  .max(20, 'Phone number must be less than 20 characters')
  .refine(
    (text) => text.length >= 10 && countDigits(text) >= 10 && !/[A-Za-z]/.test(text),
    'Phone number must be at least 10 digits',
  );
const password = z
  .string()
  .min(6, 'Password must be at least 6 characters')
  .max(128, 'Password must be less than 128 characters');

export const signInSchema = z.object({ email, password: z.string().min(6, 'Password must be at least 6 characters') });
export const emailSchema = email;
export const phoneSchema = phone;
export const signUpSchema = z.object({
  fullName,
  email,
  phone,
  djName: z.string().trim().max(100, 'DJ name must be less than 100 characters').refine(isPlain, NOT_PLAIN).optional(),
  password,
  dateOfBirth: z.string('Date of birth is required').refine(isStudioDate, 'Date of birth is required'),
});
export const profileSchema = z.object({ fullName, email, phone });
export const customerSchema = z.object({ fullName, email, phone });
export const verificationCodeSchema = z.string().regex(/^\d{6}$/, 'Please enter the 6-digit verification code.');
export const passwordChangeSchema = z
  .object({ password: z.string(), confirm: z.string() })
  .refine((both) => both.password === both.confirm, {
    path: ['confirm'],
    message: "New password and confirmation don't match.",
  })
  .refine((both) => both.password.length >= 6, {
    path: ['password'],
    message: 'Password must be at least 6 characters long.',
  });

/** Returns the first message of an error, in the order of the fields. */
export function firstError(error: z.ZodError): string {
  return error.issues[0]?.message ?? 'Please check what you entered.';
}

/** Makes a name safe for a path: letters, digits and dashes, at most 50 characters. */
export function sanitiseName(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 50);
}
