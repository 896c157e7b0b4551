import { formatMoney } from '#rules/money.ts';
import { type Series, SERIES_WEEKS, seriesList } from '#web/data/finding/use-series.ts';
import { Button } from '#web/ui/button.tsx';
import { CheckList, SelectField } from '#web/ui/choice.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { LoadFailed, Skeleton } from '#web/ui/notice.tsx';

/** Lets the customer choose for how many weeks the hours are booked, and leave out single dates. */
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
          label="Repeat for"
          value={String(weeks)}
          options={SERIES_WEEKS}
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
  const { weeks, dates, leftOut, failed, lookAgain } = series;
  if (weeks === 1) return null;
  if (failed) return <LoadFailed title="The dates could not be loaded." onRetry={lookAgain} />;
  if (dates === undefined) return <Skeleton label="Looking at the dates" className="h-40" />;
  return (
    <>
      <CheckList {...seriesList(dates, leftOut)} onToggle={series.toggle} />
      {series.chosen === null ? (
        <p role="status" className="mt-2 text-sm text-warn">
          A series needs two free dates, so your hours are booked once.
        </p>
      ) : null}
    </>
  );
}
