// Separate from business.ts, because the first page loads that file and shows no date.
import { formatStudioDate, isStudioDate } from '../studio-time.ts';

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** Formats the date of a version of the terms: "October 2025" for 2025-10, "Monday 23 November 2026" for 2026-11-23 and for 2026-11-23.2. */
export function termsDate(version: string): string {
  const [day = ''] = version.split('.');
  if (isStudioDate(day)) return formatStudioDate(day);
  const [year = '', month = ''] = day.split('-');
  return `${MONTHS[Number(month) - 1] ?? ''} ${year}`.trim();
}
