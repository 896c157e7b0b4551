import { Suspense } from 'react';
import type { StudioDate } from '#rules/studio-time.ts';
import { useFreeDays } from '#web/data/finding/free-days.ts';
import { useStable } from '#web/lib/use-stable.ts';
import { PartBoundary } from '#web/ui/crash-screen.tsx';
import { lazyPart } from '#web/ui/load-part.ts';
import { Skeleton } from '#web/ui/notice.tsx';
import type { Choice } from './use-choice.ts';

/** Large, and not needed before a room is chosen. */
const Calendar = lazyPart(async () => ({ default: (await import('./calendar.tsx')).Calendar }));

/** The calendar. `onChange`: another day was chosen. */
export function DayPicker({ choice, onChange }: { choice: Choice; onChange: () => void }) {
  const free = useFreeDays(choice.studioId, choice.today);
  const choose = useStable((day: StudioDate) => {
    choice.chooseDay(day);
    onChange();
  });
  return (
    <section aria-label="Day" className="max-md:mb-8">
      <h2 className="mb-4 text-2xl">Day</h2>
      <PartBoundary what="The calendar">
        <Suspense fallback={<Skeleton label="Loading the calendar" className="h-[22rem]" />}>
          <Calendar key={choice.today} today={choice.today} value={choice.date} free={free} onChange={choose} />
        </Suspense>
      </PartBoundary>
    </section>
  );
}
