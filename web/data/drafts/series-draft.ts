import { dollarsToCents } from '#rules/money.ts';
import { SERIES_MIN } from '#rules/finding/series.ts';
import type { BookingDraft, DraftDate } from '#web/lib/drafts.ts';
import type { SeriesDate } from '../finding/series.ts';

/** The dates of a series that can be booked, without those left out, as a draft keeps them; null when too few are left for a series. */
export function seriesOf(dates: readonly SeriesDate[], leftOut: readonly string[]): readonly DraftDate[] | null {
  const kept = dates.flatMap(({ date, startTime, endTime, problem, total }) =>
    problem === null && total !== null && !leftOut.includes(date)
      ? [{ date, start_time: startTime, end_time: endTime, total }]
      : [],
  );
  return kept.length >= SERIES_MIN && kept[0]?.date === dates[0]?.date ? kept : null;
}

/** What a series costs, in cents. */
export const seriesCents = (series: readonly DraftDate[]): number =>
  series.reduce((sum, { total }) => sum + (dollarsToCents(total) ?? 0), 0);

/** The dates of a draft as `create-payment` takes them; nothing for one booking. */
export const seriesField = ({ series }: BookingDraft): { series?: { dates: readonly string[] } } =>
  series === undefined ? {} : { series: { dates: series.map(({ date }) => date) } };
