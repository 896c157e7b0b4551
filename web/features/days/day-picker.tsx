import { CalendarDays } from 'lucide-react';
import { Suspense, useRef, useState } from 'react';
import type { StudioDate } from '#rules/studio-time.ts';
import { useFreeDays } from '#web/data/finding/free-days.ts';
import { useMedia } from '#web/lib/use-browser.ts';
import { useStable } from '#web/lib/use-stable.ts';
import { PartBoundary } from '#web/ui/crash-screen.tsx';
import { lazyPart } from '#web/ui/load-part.ts';
import { Skeleton } from '#web/ui/notice.tsx';
import { DayStrip } from './day-strip.tsx';

/** Loaded on demand, because it is large and not needed before a room is chosen. */
const Calendar = lazyPart(async () => ({ default: (await import('./calendar.tsx')).Calendar }));

/** A control that chooses a day. On a phone, and with `flat`, it is a row of days that opens to the month; otherwise it is the month. */
export function DayPicker({
  studioIds,
  today,
  date,
  flat = false,
  onDay,
}: {
  /** The rooms whose free hours the days show. */
  studioIds: readonly string[];
  today: StudioDate;
  date: StudioDate;
  flat?: boolean;
  onDay: (date: StudioDate) => void;
}) {
  const wide = useMedia('(min-width: 48rem)');
  const folds = flat || !wide;
  const [unfolded, setUnfolded] = useState(false);
  const switcher = useRef<HTMLButtonElement>(null);
  const free = useFreeDays(studioIds, today);
  const choose = useStable((day: StudioDate) => {
    if (folds && unfolded) {
      setUnfolded(false);
      switcher.current?.focus({ preventScroll: true });
    }
    onDay(day);
  });
  return (
    <section aria-label="Day" className={flat ? 'mb-4' : 'max-md:mb-4'}>
      <h2 className={folds ? 'sr-only' : 'mb-4 text-2xl'}>Day</h2>
      {folds ? (
        <div className="flex items-stretch gap-1.5">
          <DayStrip today={today} value={date} free={free} rooms={studioIds.length} onChange={choose} />
          <button
            ref={switcher}
            type="button"
            aria-expanded={unfolded}
            onClick={() => setUnfolded(!unfolded)}
            className={`flex min-w-14 shrink-0 flex-col items-center justify-center gap-1 border-2 bg-night text-xs font-semibold hover:border-chalk ${unfolded ? 'border-chalk' : 'border-edge'}`}
          >
            <CalendarDays aria-hidden="true" className="size-5" />
            Month
          </button>
        </div>
      ) : null}
      {folds && !unfolded ? null : (
        <div className={folds ? 'mt-1.5 max-w-sm animate-drop' : ''}>
          <PartBoundary what="The calendar">
            <Suspense fallback={<Skeleton label="Loading the calendar" className="h-[22rem]" />}>
              <Calendar key={today} today={today} value={date} free={free} rooms={studioIds.length} onChange={choose} />
            </Suspense>
          </PartBoundary>
        </div>
      )}
    </section>
  );
}
