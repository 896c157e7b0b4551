import { type Slot, sortSlots } from '#rules/slots.ts';
import { addDays, formatStudioDate, type StudioDate } from '#rules/studio-time.ts';
import { venue } from '#rules/venue.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { DayNote } from './day-note.tsx';
import { Legend, SlotGrid } from './slot-grid.tsx';
import type { Hours } from './use-availability.ts';

/** The hours of the day looked at: the grid, what is to be known about it, and the way over midnight. */
export function DayHours({
  date,
  slots,
  hours,
  now,
  lostNote,
  onToggle,
  onReach,
  onDate,
}: {
  date: StudioDate;
  slots: readonly Slot[];
  hours: Hours;
  now: Date;
  /** What the selection has just lost to others; it stays until the next choice. */
  lostNote: string | null;
  onToggle: (slot: Slot) => void;
  onReach: (from: Slot, to: Slot, isFree: (slot: Slot) => boolean) => void;
  onDate: (date: StudioDate) => void;
}) {
  const first = sortSlots(slots)[0];
  const reachesMidnight = slots.some((slot) => slot.hour === 23 && slot.date === date);
  return (
    <section aria-label="Hours" className="lg:row-span-2 xl:row-span-1">
      <div className="mb-4 flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h2 className="text-2xl" aria-live="polite">
          {formatStudioDate(date, 'long')}
        </h2>
        <p className="text-sm text-fog">{venue.timeZoneLabel}</p>
      </div>
      <DayNote date={date} />
      {lostNote ? (
        <div className="mb-4">
          <Notice tone="warn">
            <p>{lostNote}</p>
          </Notice>
        </div>
      ) : null}
      {hours.taken && hours.unsure ? (
        <output className="mb-3 block text-sm text-warn">
          We cannot ask which hours are free right now. What you see may be out of date.
        </output>
      ) : null}
      {hours.taken ? (
        <>
          <SlotGrid date={date} selection={slots} taken={hours.taken} now={now} onToggle={onToggle} onReach={onReach} />
          <Legend />
        </>
      ) : hours.failed ? (
        <Notice tone="bad">
          <p>We cannot see which hours are free right now.</p>
          <Button tone="plain" className="mt-3" onClick={hours.refetch}>
            Try again
          </Button>
        </Notice>
      ) : (
        <GridSkeleton />
      )}
      <div className="mt-4 flex flex-wrap gap-2">
        {reachesMidnight ? (
          <Button tone="plain" onClick={() => onDate(addDays(date, 1))}>
            Continue to next morning
          </Button>
        ) : null}
        {first !== undefined && date !== first.date ? (
          <Button tone="plain" onClick={() => onDate(first.date)}>
            Back to previous day
          </Button>
        ) : null}
      </div>
    </section>
  );
}

/** As high as the grid, so that nothing jumps when the hours come. */
function GridSkeleton() {
  return (
    <output className="grid grid-cols-3 gap-1.5 sm:grid-cols-4" aria-label="Loading hours">
      {Array.from({ length: 24 }, (_, hour) => (
        <span key={hour} className="skeleton h-16" />
      ))}
    </output>
  );
}
