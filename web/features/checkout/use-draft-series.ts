import { type SeriesDate, seriesCents, seriesOf, useSeriesQuote } from '#web/data/finding/series.ts';
import type { BookingDraft, DraftDate } from '#web/lib/drafts.ts';

/** The dates of a draft's series, with what they cost with a code. */
export type DraftSeries = {
  readonly dates: readonly SeriesDate[];
  readonly totalCents: number;
  /** The price is being asked for. */
  readonly loading: boolean;
  /** Some dates are no longer free; `left` are the others, null when too few are left for a series. */
  readonly lost: { readonly left: readonly DraftDate[] | null } | null;
};

/** Follows the dates of a draft's series; null for one booking. */
export function useDraftSeries({ series, ...draft }: BookingDraft, code: string | null): DraftSeries | null {
  const { studio_id: studioId, start_time: startTime, end_time: endTime } = draft;
  const hours = series === undefined ? null : { studioId, startTime, endTime, dates: series.map(({ date }) => date) };
  const quote = useSeriesQuote(hours, code);
  if (series === undefined) return null;
  const dates = quote.data ?? series.map(asKnown);
  const left = seriesOf(dates, []);
  const lost = dates.some(({ problem }) => problem !== null) ? { left } : null;
  return { dates, totalCents: seriesCents(left ?? []), loading: quote.isPending, lost };
}

const asKnown = ({ date, start_time: startTime, end_time: endTime, total }: DraftDate): SeriesDate => ({
  date,
  startTime,
  endTime,
  problem: null,
  total,
});
