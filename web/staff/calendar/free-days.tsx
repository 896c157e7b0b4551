import { useQuery } from '@tanstack/react-query';
import type { KeyboardEvent } from 'react';
import { addDays, formatStudioDate, type StudioDate, studioDate, getWeekday } from '#rules/studio-time.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeLoadError } from '#web/lib/errors.ts';
import { Loaded } from '#web/ui/progress.tsx';
import { readFreeDays } from './queries.ts';
import { getMonday, type View } from './span.ts';

const DAYS = 28;
const NAMES = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** Four weeks from the week of a day. Each day shows the share of its hours that is free; a press opens the day. */
export function FreeDays({
  view,
  day,
  studioId,
  now,
  onDay,
}: {
  view: View;
  day: StudioDate;
  /** Null for all studios. */
  studioId: string | null;
  now: Date;
  onDay: (day: StudioDate) => void;
}) {
  // The strip does not move while the user steps through days of its first two weeks.
  const thisWeek = getMonday(studioDate(now));
  const first = day >= thisWeek && day < addDays(thisWeek, 14) ? thisWeek : getMonday(day);
  const read = useQuery({
    queryKey: queryKeys.staffCalendar.of('free', first, DAYS, studioId),
    queryFn: () => readFreeDays({ first, days: DAYS, studioId }),
    refetchInterval: 60_000,
  });
  return (
    <Loaded
      query={read}
      what="the free hours"
      failed="The available hours could not be loaded."
      why={describeLoadError}
      skeleton="h-[15.5rem] sm:h-40"
    >
      {(days) => {
        // Tab reaches only one of the days. Arrow keys lead to the others.
        const reached = Math.max(
          days.findIndex((entry) => entry.day === day),
          0,
        );
        return (
          <ul aria-label="Free hours" className="grid grid-cols-7 gap-1 sm:grid-cols-14">
            {days.map((entry, index) => (
              <li key={entry.day}>
                <Day
                  {...entry}
                  chosen={view === 'day' ? entry.day === day : getMonday(entry.day) === getMonday(day)}
                  today={entry.day === studioDate(now)}
                  reached={index === reached}
                  onKey={(event) => walk(event, index)}
                  onDay={onDay}
                />
              </li>
            ))}
          </ul>
        );
      }}
    </Loaded>
  );
}

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };

/** Focuses the day to which an arrow key leads, or the first or last day. */
function walk(event: KeyboardEvent<HTMLButtonElement>, at: number): void {
  const step = STEPS[event.key];
  const to = event.key === 'Home' ? 0 : event.key === 'End' ? DAYS - 1 : step === undefined ? null : at + step;
  const next = to === null ? null : event.currentTarget.closest('ul')?.children[to]?.querySelector('button');
  if (!next) return;
  event.preventDefault();
  next.focus();
}

function Day({
  day,
  free,
  hours,
  chosen,
  today,
  reached,
  onKey,
  onDay,
}: {
  day: StudioDate;
  free: number;
  hours: number;
  chosen: boolean;
  today: boolean;
  reached: boolean;
  onKey: (event: KeyboardEvent<HTMLButtonElement>) => void;
  onDay: (day: StudioDate) => void;
}) {
  const share = hours === 0 ? 0 : Math.round((free / hours) * 100);
  return (
    <button
      type="button"
      tabIndex={reached ? 0 : -1}
      onKeyDown={onKey}
      aria-pressed={chosen}
      aria-label={`${formatStudioDate(day)}${today ? ', today' : ''}: ${share}% free`}
      title={`${share}% free`}
      onClick={() => onDay(day)}
      className={`flex min-h-11 w-full flex-col items-stretch border bg-booth px-1 pt-1 pb-1.5 text-center text-xs hover:border-chalk ${chosen ? 'border-signal' : today ? 'border-fog' : 'border-line'}`}
    >
      <span className="text-dust max-sm:hidden">{NAMES[getWeekday(day)]}</span>
      <span className={`text-sm ${chosen || today ? 'font-bold' : 'text-fog'}`}>{Number(day.slice(8))}</span>
      <span className="mt-1 block h-1.5 bg-edge">
        <span className="block h-full bg-good" style={{ width: `${share}%` }} />
      </span>
      <span className="mt-0.5 text-[11px] text-dust tabular-nums">{share}%</span>
    </button>
  );
}
