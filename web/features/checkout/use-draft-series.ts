import { type SeriesDate, seriesCents, toSeries, useSeriesQuote } from '#web/data/finding/series.ts';
import type { BookingDraft, DraftDate } from '#web/lib/drafts.ts';

/** The dates of a draft's series, with their cost for a coupon code. */
export type DraftSeries = {
  readonly dates: readonly SeriesDate[];
  readonly totalCents: number;
  /** The price is being requested. */
  readonly loading: boolean;
  /** Some dates are no longer free. `remaining`: the remaining dates, or null if too few remain for a series. */
  readonly lost: { readonly remaining: readonly DraftDate[] | null } | null;
};

/** Follows the dates of a draft's series. Returns null for a single booking. */
export function useDraftSeries({ series, ...draft }: BookingDraft, code: string | null): DraftSeries | null {
  const { studio_id: studioId, start_time: startTime, end_time: endTime } = draft;
  const hours = series === undefined ? null : { studioId, startTime, endTime, dates: series.map(({ date }) => date) };
  const quote = useSeriesQuote(hours, code);
  if (series === undefined) return null;
  const dates = quote.data ?? series.map(asKnown);
  const remaining = toSeries(dates, []);
  const lost = dates.some(({ problem }) => problem !== null) ? { remaining } : null;
  return { dates, totalCents: seriesCents(remaining ?? []), loading: quote.isPending, lost };
}

const asKnown = ({ date, start_time: startTime, end_time: endTime, total }: DraftDate): SeriesDate => ({
  date,
  startTime,
  endTime,
  problem: null,
  total,
});
