import { Suspense, useState } from 'react';
import { formatStudioDate } from '#rules/studio-time.ts';
import { Button } from '#web/ui/button.tsx';
import { PartBoundary } from '#web/ui/crash-screen.tsx';
import { lazyPart } from '#web/ui/load-part.ts';
import type { Series } from '#web/data/finding/use-series.ts';

const SeriesDialog = lazyPart(async () => ({ default: (await import('./series-dialog.tsx')).SeriesDialog }));

/** Shows on which dates the chosen hours are booked, and opens the dialog for the number of weeks. */
export function SeriesLine({
  series,
  studioName,
  busy,
  onChange,
}: {
  series: Series;
  studioName: string;
  busy: boolean;
  /** Called after the dialog, because an earlier problem may no longer apply. */
  onChange: () => void;
}) {
  const [open, setOpen] = useState(false);
  const { chosen, dates } = series;
  const gone = dates?.filter(({ problem }) => problem !== null).length ?? 0;
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 text-sm">
      {chosen === null ? null : (
        <p className="min-w-0">
          <strong>{chosen.length} dates:</strong> {chosen.map(({ date }) => formatStudioDate(date, 'short')).join(', ')}
          {gone > 0 ? <span className="text-warn">. {gone} not free</span> : null}
        </p>
      )}
      <Button tone="quiet" disabled={busy} onClick={() => setOpen(true)} className="text-sm">
        {chosen === null ? 'Repeat weekly' : 'Change dates'}
      </Button>
      {open ? (
        <PartBoundary what="The choice of weeks">
          <Suspense>
            <SeriesDialog
              series={series}
              studioName={studioName}
              onClose={() => {
                setOpen(false);
                onChange();
              }}
            />
          </Suspense>
        </PartBoundary>
      ) : null}
    </div>
  );
}
