import { Moon, Undo2 } from 'lucide-react';
import { sortSlots } from '#rules/slots.ts';
import { addDays } from '#rules/studio-time.ts';
import { Button } from '#web/ui/button.tsx';
import type { Choice } from './use-choice.ts';

/** Buttons to the next morning and back. Shows nothing while the selection does not reach midnight. */
export function NightButtons({ choice }: { choice: Choice }) {
  const { slots, date, goTo } = choice;
  const first = sortSlots(slots)[0];
  const reachesMidnight = slots.some((slot) => slot.hour === 23 && slot.date === date);
  const isNextDay = first !== undefined && date > first.date;
  if (!reachesMidnight && !isNextDay) return null;
  return (
    <div className="flex flex-wrap gap-2">
      {isNextDay ? (
        <Button tone="plain" onClick={() => goTo({ date: addDays(date, -1), hour: 23 })}>
          <Undo2 aria-hidden="true" className="size-4" />
          Back to previous day
        </Button>
      ) : null}
      {reachesMidnight ? (
        <Button tone="plain" onClick={() => goTo({ date: addDays(date, 1), hour: 0 })}>
          <Moon aria-hidden="true" className="size-4" />
          Continue to next morning
        </Button>
      ) : null}
    </div>
  );
}
