import { formatDollars } from '#rules/money.ts';
import { formatStudioDate } from '#rules/studio-time.ts';
import { describeProblem } from '#web/data/finding/series.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import type { DraftSeries } from './use-draft-series.ts';

/** The dates of a series with their prices. */
export function SeriesDates({ series: { dates } }: { series: DraftSeries }) {
  return (
    <ul aria-label={`${dates.length} dates`} className="mt-4 space-y-1.5 text-sm">
      {dates.map(({ date, problem, total }) => (
        <li key={date} className="flex justify-between gap-4">
          <span className={problem === null ? 'text-fog' : 'text-dust line-through'}>
            {formatStudioDate(date, 'medium')}
          </span>
          <span className="font-semibold tabular-nums">
            {problem === null ? formatDollars(total ?? 0) : describeProblem(problem)}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Shows which dates are no longer free, and offers to leave them out. */
export function LostDates({ series, onLeaveOut }: { series: DraftSeries; onLeaveOut: () => void }) {
  const gone = series.dates.filter(({ problem }) => problem !== null);
  return (
    <Notice tone="warn">
      <p>
        No longer free: {gone.map(({ date }) => formatStudioDate(date, 'medium')).join(', ')}. You can book the other{' '}
        {series.dates.length - gone.length === 1 ? 'date' : 'dates'}.
      </p>
      <Button tone="plain" className="mt-3" onClick={onLeaveOut}>
        {gone.length === 1 ? 'Leave it out' : 'Leave them out'}
      </Button>
    </Notice>
  );
}
