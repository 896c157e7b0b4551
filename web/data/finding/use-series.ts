import { useState } from 'react';
import { type Slot, toSpan } from '#rules/slots.ts';
import { formatDollars } from '#rules/money.ts';
import { SERIES_MAX, SERIES_MIN } from '#rules/finding/series.ts';
import { formatStudioDate, formatStudioTime } from '#rules/studio-time.ts';
import { describeProblem, type SeriesDate, seriesCents, toSeries, useSeriesQuote } from './series.ts';
import type { DraftDate } from '#web/lib/drafts.ts';

/** How the chosen hours are repeated, and what that costs. */
export type Series = {
  /** The number of weeks; 1 if the hours are not repeated. */
  readonly weeks: number;
  /** The dates as the server reported them; undefined until it has answered. */
  readonly dates: readonly SeriesDate[] | undefined;
  readonly leftOut: readonly string[];
  /** The dates to book; null for the chosen hours alone. */
  readonly chosen: readonly DraftDate[] | null;
  readonly totalCents: number | null;
  readonly loading: boolean;
  readonly failed: boolean;
  readonly setWeeks: (weeks: number) => void;
  readonly toggle: (date: string) => void;
  readonly lookAgain: () => void;
};

const ONCE: { readonly weeks: number; readonly leftOut: readonly string[] } = { weeks: 1, leftOut: [] };

/** Holds how the chosen hours are repeated. Other hours reset it. */
export function useSeries({
  studioId,
  slots,
  code,
}: {
  readonly studioId: string | null;
  readonly slots: readonly Slot[];
  /** The coupon code that the shown price includes. */
  readonly code: string | null;
}): Series {
  const span = slots.length > 0 && studioId !== null ? toSpan(slots) : null;
  const key = span === null ? '' : `${studioId ?? ''} ${span.start.toISOString()} ${span.end.toISOString()}`;
  const [state, change] = useState({ key: '', ...ONCE });
  const { weeks, leftOut } = state.key === key ? state : ONCE;
  const hours =
    span === null || weeks === 1
      ? null
      : { studioId: studioId ?? '', startTime: span.start.toISOString(), endTime: span.end.toISOString(), weeks };
  const quote = useSeriesQuote(hours, code);
  const dates = hours === null ? undefined : quote.data;
  const chosen = dates === undefined ? null : toSeries(dates, leftOut);
  return {
    weeks,
    dates,
    leftOut,
    chosen,
    totalCents: chosen === null ? null : seriesCents(chosen),
    loading: hours !== null && quote.isPending,
    failed: hours !== null && quote.isError && quote.data === undefined,
    setWeeks: (next) => change({ key, weeks: next, leftOut: [] }),
    toggle: (date) =>
      change({
        key,
        weeks,
        leftOut: leftOut.includes(date) ? leftOut.filter((entry) => entry !== date) : [...leftOut, date],
      }),
    lookAgain: () => void (hours !== null && quote.refetch()),
  };
}

/** The number of weeks for which hours can be booked, as options of a list. */
export const SERIES_WEEKS: readonly { readonly value: string; readonly label: string }[] = [
  { value: '1', label: 'No repeat' },
  ...Array.from({ length: SERIES_MAX - SERIES_MIN + 1 }, (_, index) => ({
    value: String(index + SERIES_MIN),
    label: `${index + SERIES_MIN} weeks`,
  })),
];

/** Returns the content of a list of a series' dates: how many are free, and a row for each date. The first date cannot be left out. */
export function seriesList(
  dates: readonly SeriesDate[],
  leftOut: readonly string[],
): {
  readonly title: string;
  readonly note: string;
  readonly rows: readonly {
    readonly key: string;
    readonly label: string;
    readonly detail: string;
    readonly value: string;
    readonly checked: boolean;
    readonly disabled: boolean;
    readonly struck: boolean;
  }[];
} {
  const free = dates.filter(({ problem }) => problem === null).length;
  return {
    title: free === dates.length ? `All ${free} dates are free.` : `${free} of ${dates.length} dates are free.`,
    note: 'Sydney time',
    rows: dates.map(({ date, startTime, problem, total }, index) => ({
      key: date,
      label: formatStudioDate(date, 'medium'),
      detail: problem === null ? `, ${formatStudioTime(new Date(startTime))}` : '',
      value: problem === null ? formatDollars(total ?? 0) : describeProblem(problem),
      checked: problem === null && !leftOut.includes(date),
      disabled: index === 0 || problem !== null,
      struck: problem !== null,
    })),
  };
}
