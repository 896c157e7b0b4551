import { isAdult } from '#rules/people.ts';
import { formatStudioDate, isStudioDate, type StudioDate } from '#rules/studio-time.ts';

/** A date as it is typed: day and year in digits, the month by its number, '' where nothing is entered yet. */
export type DateParts = { readonly day: string; readonly month: string; readonly year: string };
export const noDate: DateParts = { day: '', month: '', year: '' };

/** 'YYYY-MM-DD'; '' until the three parts are an existing date. */
export function isoOf(parts: DateParts): StudioDate {
  const iso = `${parts.year}-${parts.month.padStart(2, '0')}-${parts.day.padStart(2, '0')}`;
  return isStudioDate(iso) ? iso : '';
}

export function partsOf(iso: StudioDate): DateParts {
  const [year = '', month = '', day = ''] = iso.split('-');
  return iso === '' ? noDate : { day: String(Number(day)), month: String(Number(month)), year };
}

/** What was understood, "3 April 1998"; '' while it is no date (decisions T-18). */
export function echoOf(parts: DateParts): string {
  const iso = isoOf(parts);
  return iso === '' ? '' : formatStudioDate(iso, 'long').replace(/^\w+ /, '');
}

/** Whether all three parts are there and yet no such day exists, as on 31 April. */
export function isNoDay(parts: DateParts): boolean {
  return parts.day !== '' && parts.month !== '' && parts.year.length === 4 && isoOf(parts) === '';
}

/** What is wrong with a date of birth as far as it is typed; null when nothing is, or not yet. No future date is taken (spec section 5). */
export function birthProblem(parts: DateParts, today: StudioDate): string | null {
  const iso = isoOf(parts);
  if (iso === '') return isNoDay(parts) ? 'There is no such day' : null;
  if (iso > today) return 'A date of birth cannot be in the future';
  return isAdult(iso, today) ? null : 'You must be 18 or older';
}
