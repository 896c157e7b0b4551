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

/**
 * Whether these parts can still become a date of birth that is not in the future, however they are completed.
 * "202" may become 2020 and passes until 2029; "203" does not.
 */
export function canBeBirthDate(parts: DateParts, today: StudioDate): boolean {
  return !isFuture(parts, today);
}

function isFuture({ day, month, year }: DateParts, today: StudioDate): boolean {
  const [thisYear = '', thisMonth = '', thisDay = ''] = today.split('-');
  // Compared as text, as far as it is typed.
  if (year > thisYear.slice(0, year.length)) return true;
  if (year !== thisYear || month === '') return false;
  const typedMonth = month.padStart(2, '0');
  if (typedMonth !== thisMonth) return typedMonth > thisMonth;
  return day.padStart(2, '0') > thisDay;
}

/** Said when the rest of a date of birth would make it a future one: what was typed is not taken then. */
export const FUTURE_BIRTH = 'A date of birth cannot be in the future';

/** What is wrong with a date of birth as far as it is typed; null when nothing is, or not yet. */
export function birthProblem(parts: DateParts, today: StudioDate): string | null {
  const iso = isoOf(parts);
  if (iso === '') return isNoDay(parts) ? 'That date doesn’t exist' : null;
  if (iso > today) return FUTURE_BIRTH;
  return isAdult(iso, today) ? null : 'You must be 18 or older';
}
