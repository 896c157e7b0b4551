import { addDays, formatStudioDate, isStudioDate, type StudioDate } from '#rules/studio-time.ts';

/** A range of days in Sydney, both ends included. */
export type Days = { readonly first: StudioDate; readonly last: StudioDate };

/** The longest range that the server counts, in days. */
const MOST_DAYS = 366;

const dayNumber = (day: StudioDate): number => Date.parse(`${day}T00:00:00Z`) / 86_400_000;
/** Returns the number of days in a range. */
export const countDays = ({ first, last }: Days): number => dayNumber(last) - dayNumber(first) + 1;
const monthStart = (day: StudioDate): StudioDate => `${day.slice(0, 7)}-01`;
const monthBefore = (start: StudioDate): StudioDate => monthStart(addDays(start, -1));
/** Returns the last day of the month that contains a day. */
const monthEnd = (day: StudioDate): StudioDate => addDays(monthStart(addDays(monthStart(day), 31)), -1);

/** Returns why a range cannot be counted; null if it can. */
export function findProblem({ first, last }: Days): string | null {
  if (!isStudioDate(first)) return 'Choose the first day.';
  if (!isStudioDate(last)) return 'Choose the last day.';
  if (last < first) return 'The last day must not be before the first.';
  return countDays({ first, last }) > MOST_DAYS ? 'Choose at most a year.' : null;
}

/** Returns the ranges that are offered on a day, with their names. */
export function periods(today: StudioDate): readonly { readonly label: string; readonly days: Days }[] {
  const start = monthStart(today);
  return [
    { label: 'This month', days: { first: start, last: monthEnd(today) } },
    { label: 'Last month', days: { first: monthBefore(start), last: addDays(start, -1) } },
    { label: 'Last 28 days', days: { first: addDays(today, -28), last: addDays(today, -1) } },
    { label: 'This year', days: { first: `${today.slice(0, 4)}-01-01`, last: `${today.slice(0, 4)}-12-31` } },
  ];
}

/**
 * Returns the range of the same length that ends right before another begins. If that range consists of whole months, the length is counted
 * in months, otherwise in days.
 */
export function daysBefore(days: Days): Days {
  const last = addDays(days.first, -1);
  if (days.first !== monthStart(days.first) || days.last !== monthEnd(days.last))
    return { first: addDays(days.first, -countDays(days)), last };
  let first = days.first;
  for (let month = days.first; month <= days.last; month = addDays(monthEnd(month), 1)) first = monthBefore(first);
  return { first, last };
}

/** Formats a range: "1 Mar to 31 Mar 2031". */
export function formatDays({ first, last }: Days): string {
  const year = first.slice(0, 4) === last.slice(0, 4) ? '' : ` ${first.slice(0, 4)}`;
  return `${formatStudioDate(first, 'short')}${year} to ${formatStudioDate(last, 'short')} ${last.slice(0, 4)}`;
}
