import { z } from 'zod';
import { isAdult } from '#rules/people.ts';
import { formatStudioDate, isStudioDate, type StudioDate } from '#rules/studio-time.ts';

/** A date as typed: day and year in digits, the month as its number. A part is '' if nothing is entered. */
export type DateParts = { readonly day: string; readonly month: string; readonly year: string };
export const noDate: DateParts = { day: '', month: '', year: '' };

/** Converts a typed date to 'YYYY-MM-DD', or to '' if it is not a valid date. */
export const typedDateSchema = z.object({ day: z.string(), month: z.string(), year: z.string() }).transform(toIsoDate);

/** Returns 'YYYY-MM-DD', or '' until the three parts form an existing date. */
export function toIsoDate(parts: DateParts): StudioDate {
  const iso = `${parts.year}-${parts.month.padStart(2, '0')}-${parts.day.padStart(2, '0')}`;
  return isStudioDate(iso) ? iso : '';
}

export function toDateParts(iso: StudioDate): DateParts {
  const [year = '', month = '', day = ''] = iso.split('-');
  return iso === '' ? noDate : { day: String(Number(day)), month: String(Number(month)), year };
}

/** Formats the date that was understood, such as "3 April 1998"; '' if it is not a valid date. */
export function formatDateParts(parts: DateParts): string {
  const iso = toIsoDate(parts);
  return iso === '' ? '' : formatStudioDate(iso, 'long').replace(/^\w+ /, '');
}

/** Whether the parts are complete but the day does not exist, as on 31 April. */
export function isNoDay(parts: DateParts): boolean {
  return parts.day !== '' && parts.month !== '' && parts.year.length === 4 && toIsoDate(parts) === '';
}

/**
 * Whether these parts can still become a date of birth that is not in the future.
 * "202" may become 2020 and passes until 2029; "203" does not.
 */
export function canBeBirthDate(parts: DateParts, today: StudioDate): boolean {
  return !isFuture(parts, today);
}

function isFuture({ day, month, year }: DateParts, today: StudioDate): boolean {
  const [thisYear = '', thisMonth = '', thisDay = ''] = today.split('-');
  // The parts are compared as text, as far as they are typed.
  if (year > thisYear.slice(0, year.length)) return true;
  if (year !== thisYear || month === '') return false;
  const typedMonth = month.padStart(2, '0');
  if (typedMonth !== thisMonth) return typedMonth > thisMonth;
  return day.padStart(2, '0') > thisDay;
}

/** Shown if the last input would create a future date. That input is not accepted. */
const FUTURE_BIRTH = 'A date of birth cannot be in the future';

/** Returns what is wrong with a date of birth as typed so far; null if nothing is. */
export function birthProblem(parts: DateParts, today: StudioDate): string | null {
  const iso = toIsoDate(parts);
  if (iso === '') return isNoDay(parts) ? 'That date doesn’t exist' : null;
  if (iso > today) return FUTURE_BIRTH;
  return isAdult(iso, today) ? null : 'You must be 18 or older';
}

/** Returns the props of a form's date entry for a date of birth. */
export const birthDateEntry = (today: StudioDate) =>
  ({
    legend: 'Date of Birth',
    badge: 'MUST MATCH ID',
    hint: 'You must be 18 or older',
    refusal: FUTURE_BIRTH,
    echo: formatDateParts,
    problem: (parts: DateParts) => birthProblem(parts, today),
    accepts: (parts: DateParts) => canBeBirthDate(parts, today),
  }) as const;
