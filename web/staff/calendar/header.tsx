import type { KeyboardEvent } from 'react';
import { addDays, formatStudioDate, type StudioDate } from '#rules/studio-time.ts';
import { useOutsideSydney } from '#web/lib/business/use-outside-sydney.ts';
import { Button } from '#web/ui/button.tsx';
import { SelectField } from '#web/ui/choice.tsx';
import { getDays, type View } from './span.ts';

type CalendarSelection = { readonly view: View; readonly day: StudioDate; readonly studioId: string | null };
const VIEWS = [
  { view: 'day', label: 'Day' },
  { view: 'week', label: 'Week' },
] as const;
/** The option that shows every studio. */
const ALL = 'all';

/** The days that are shown, and the buttons that change them. */
export function Header({
  studios,
  shown,
  today,
  onShow,
}: {
  studios: readonly { readonly id: string; readonly name: string }[];
  shown: CalendarSelection;
  today: StudioDate;
  onShow: (shown: CalendarSelection) => void;
}) {
  const outsideSydney = useOutsideSydney();
  return (
    <div className="flex flex-wrap items-end justify-between gap-4">
      <div aria-live="polite">
        <h2 id="calendar-days" className="text-3xl">
          {nameDays(shown, today)}
        </h2>
        <p className="mt-2 text-fog">
          {outsideSydney ? (
            <>
              All times here are <strong>Sydney time</strong>, which is different from your local time.
            </>
          ) : (
            'Times are in Sydney time.'
          )}
        </p>
      </div>
      <div className="flex flex-wrap items-end gap-3">
        {shown.view === 'week' ? (
          <SelectField
            label="Room"
            value={shown.studioId ?? ALL}
            options={[
              { value: ALL, label: 'All rooms' },
              ...studios.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            onChange={({ target }) => onShow({ ...shown, studioId: target.value === ALL ? null : target.value })}
          />
        ) : null}
        <div role="group" aria-label="View" className="flex">
          {VIEWS.map(({ view, label }) => (
            <Button
              key={view}
              tone="plain"
              className={`px-4 ${shown.view === view ? 'border-signal' : ''}`}
              aria-pressed={shown.view === view}
              onClick={() => onShow({ ...shown, view })}
            >
              {label}
            </Button>
          ))}
        </div>
        <Steps shown={shown} today={today} onDay={(day) => onShow({ ...shown, day })} />
      </div>
    </div>
  );
}

function nameDays({ view, day }: CalendarSelection, today: StudioDate): string {
  if (view === 'day') return `${day === today ? 'Today, ' : ''}${formatStudioDate(day)}`;
  const { first, count } = getDays(view, day);
  const last = addDays(first, count - 1);
  return `${formatStudioDate(first, 'short')} to ${formatStudioDate(last, 'short')} ${last.slice(0, 4)}`;
}

/** Moves by days or weeks. The arrow keys work on the buttons too. */
function Steps({
  shown,
  today,
  onDay,
}: {
  shown: CalendarSelection;
  today: StudioDate;
  onDay: (day: StudioDate) => void;
}) {
  const { view, day } = shown;
  const go = (by: number): void => onDay(addDays(day, by * (view === 'day' ? 1 : 7)));
  function walk(event: KeyboardEvent): void {
    if (event.key === 'ArrowLeft') go(-1);
    else if (event.key === 'ArrowRight') go(1);
    else if (event.key === 'Home') onDay(today);
    else return;
    event.preventDefault();
  }
  return (
    <div role="group" aria-label="Days" className="flex gap-2">
      <Button tone="plain" className="px-4" aria-label={`Previous ${view}`} onKeyDown={walk} onClick={() => go(-1)}>
        <span aria-hidden="true">←</span>
      </Button>
      <Button tone="plain" className="px-4" aria-pressed={day === today} onKeyDown={walk} onClick={() => onDay(today)}>
        Today
      </Button>
      <Button tone="plain" className="px-4" aria-label={`Next ${view}`} onKeyDown={walk} onClick={() => go(1)}>
        <span aria-hidden="true">→</span>
      </Button>
    </div>
  );
}
