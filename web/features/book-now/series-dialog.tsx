import { useId } from 'react';
import { formatDollars, formatMoney } from '#rules/money.ts';
import { SERIES_MAX, SERIES_MIN } from '#rules/finding/series.ts';
import { formatStudioDate, formatStudioTime } from '#rules/studio-time.ts';
import { describeProblem, type SeriesDate } from '#web/data/finding/series.ts';
import { Button } from '#web/ui/button.tsx';
import { SelectField } from '#web/ui/choice.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { LoadFailed, Skeleton } from '#web/ui/notice.tsx';
import type { Series } from './use-series.ts';

const WEEKS = [
  { value: '1', label: 'Just once' },
  ...Array.from({ length: SERIES_MAX - SERIES_MIN + 1 }, (_, at) => ({
    value: String(at + SERIES_MIN),
    label: `${at + SERIES_MIN} weeks`,
  })),
];

/** Chooses for how many weeks the hours are booked, and leaves out single dates. */
export function SeriesDialog({
  series,
  studioName,
  onClose,
}: {
  series: Series;
  studioName: string;
  onClose: () => void;
}) {
  const { weeks, chosen, totalCents } = series;
  return (
    <Dialog open title="Repeat weekly" onClose={onClose}>
      <div className="space-y-5">
        <p className="text-fog">
          {studioName}, at the same time each week. You pay once; later you can move or cancel each date on its own.
        </p>
        <SelectField
          label="Book these hours for"
          value={String(weeks)}
          options={WEEKS}
          onChange={(event) => series.setWeeks(Number(event.target.value))}
        />
        <Dates series={series} />
        <div className="flex flex-wrap items-end justify-between gap-4 border-t border-line pt-4">
          <p aria-live="polite" className="text-lg">
            {chosen === null || totalCents === null ? (
              <span className="text-fog">Booked once</span>
            ) : (
              <>
                {chosen.length} dates, <strong className="text-2xl tabular-nums">{formatMoney(totalCents)}</strong>
              </>
            )}
          </p>
          <Button onClick={onClose} disabled={series.loading}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

function Dates({ series }: { series: Series }) {
  const id = useId();
  const { weeks, dates, leftOut, failed, lookAgain } = series;
  if (weeks === 1) return null;
  if (failed) return <LoadFailed title="The dates could not be loaded." onRetry={lookAgain} />;
  if (dates === undefined) return <Skeleton label="Looking at the dates" className="h-40" />;
  const free = dates.filter(({ problem }) => problem === null).length;
  return (
    <div role="group" aria-labelledby={id}>
      <p id={id} className="mb-1 text-sm font-semibold">
        {free === dates.length ? `All ${free} dates are free.` : `${free} of ${dates.length} dates are free.`}{' '}
        <span className="font-normal text-dust">Sydney time</span>
      </p>
      <ul className="divide-y divide-line">
        {dates.map((one, at) => (
          <DateRow
            key={one.date}
            date={one}
            fixed={at === 0}
            kept={!leftOut.includes(one.date)}
            onToggle={() => series.toggle(one.date)}
          />
        ))}
      </ul>
      {series.chosen === null ? (
        <p role="status" className="mt-2 text-sm text-warn">
          A series needs two free dates, so your hours are booked once.
        </p>
      ) : null}
    </div>
  );
}

function DateRow({
  date: { date, startTime, problem, total },
  fixed,
  kept,
  onToggle,
}: {
  date: SeriesDate;
  /** The chosen hours themselves. */
  fixed: boolean;
  kept: boolean;
  onToggle: () => void;
}) {
  return (
    <li>
      <label className="flex min-h-12 items-center gap-3 has-disabled:text-dust">
        <input
          type="checkbox"
          className="size-5 shrink-0 accent-signal disabled:cursor-not-allowed"
          checked={problem === null && kept}
          disabled={fixed || problem !== null}
          onChange={onToggle}
        />
        <span className={`min-w-0 flex-1 ${problem === null ? '' : 'line-through'}`}>
          {formatStudioDate(date, 'medium')}
          {problem === null ? <span className="text-fog">, {formatStudioTime(new Date(startTime))}</span> : null}
        </span>
        <span className="tabular-nums">{problem === null ? formatDollars(total ?? 0) : describeProblem(problem)}</span>
      </label>
    </li>
  );
}
