import { useQuery } from '@tanstack/react-query';
import { SERIES_MIN } from '#rules/finding/series.ts';
import { dollarsToCents } from '#rules/money.ts';
import type { StudioDate } from '#rules/studio-time.ts';
import type { DraftDate } from '#web/lib/drafts.ts';
import { type CallAnswer, callFunction } from '../fetch-client.ts';
import { queryKeys } from '../query-keys.ts';

const POLL_MS = 20_000;

/** The hours of a series on one of its dates. */
export type SeriesDate = CallAnswer<'quote-series'>['dates'][number];
const PROBLEMS: Readonly<Record<NonNullable<SeriesDate['problem']>, string>> = {
  taken: 'taken',
  closed: 'closed',
  past: 'over',
  too_far: 'too far ahead',
  skipped: 'the clocks skip this hour',
};
/** Describes why a date cannot be booked. */
export const describeProblem = (problem: NonNullable<SeriesDate['problem']>): string => PROBLEMS[problem];

/** The hours to repeat: for a number of weeks, or on these dates. */
export type SeriesHours = { readonly studioId: string; readonly startTime: string; readonly endTime: string } & (
  | { readonly weeks: number }
  | { readonly dates: readonly StudioDate[] }
);

/** Fetches the dates on which the same hours are free, and what each date costs with this code. Throws `AppError`. */
async function quoteSeries(hours: SeriesHours, couponCode: string | null): Promise<readonly SeriesDate[]> {
  const { dates } = await callFunction('quote-series', { ...hours, couponCode });
  return dates;
}

/** Queries the dates of a series while `hours` are given. They are polled, because other customers book too. */
export function useSeriesQuote(hours: SeriesHours | null, couponCode: string | null) {
  return useQuery({
    queryKey: queryKeys.series.of(hours, couponCode),
    queryFn: () => (hours === null ? [] : quoteSeries(hours, couponCode)),
    enabled: hours !== null,
    refetchInterval: POLL_MS,
    retry: 1,
  });
}

/** Returns the dates of a series that can be booked, without those left out, in the form of a draft. Null if too few are left for a series. */
export function toSeries(dates: readonly SeriesDate[], leftOut: readonly string[]): readonly DraftDate[] | null {
  const kept = dates.flatMap(({ date, startTime, endTime, problem, total }) =>
    problem === null && total !== null && !leftOut.includes(date)
      ? [{ date, start_time: startTime, end_time: endTime, total }]
      : [],
  );
  return kept.length >= SERIES_MIN && kept[0]?.date === dates[0]?.date ? kept : null;
}

/** Returns the total cost of a series in cents. */
export const seriesCents = (series: readonly DraftDate[]): number =>
  series.reduce((sum, { total }) => sum + (dollarsToCents(total) ?? 0), 0);
