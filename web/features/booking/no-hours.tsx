import { addDays, formatStudioDate, type StudioDate } from '#rules/studio-time.ts';
import { useBusiness } from '#web/lib/business/business.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';

/** Shows that a day has no free hours and offers the next day. */
export function NoHours({
  date,
  today,
  onDay,
}: {
  date: StudioDate;
  today: StudioDate;
  onDay: (date: StudioDate) => void;
}) {
  const { horizonDays } = useBusiness();
  const next = addDays(date, 1);
  return (
    <div className="mb-4">
      <Notice tone="plain">
        <p>No hours are left on this day.</p>
        {next > addDays(today, horizonDays) ? null : (
          <Button tone="plain" className="mt-3" onClick={() => onDay(next)}>
            See {formatStudioDate(next, 'medium')}
          </Button>
        )}
      </Notice>
    </div>
  );
}
