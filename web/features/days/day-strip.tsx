import { type KeyboardEvent, memo, useEffect, useRef } from 'react';
import { addDays, daysBetween, formatStudioDate, type StudioDate } from '#rules/studio-time.ts';
import { useBusiness } from '#web/lib/business/business.ts';
import { freeWords, type FreeDays } from './free-words.ts';

/** The number of days in the row. */
const DAYS = 21;
/** If the chosen day is beyond the row, the row shows this many days before it. */
const BEFORE = 3;
const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };

/** A row of days from today on, each with a bar that shows how much of it is free. Arrow keys move, Enter and Space choose. */
export const DayStrip = memo(function DayStrip({
  today,
  value,
  free,
  rooms,
  onChange,
}: {
  today: StudioDate;
  value: StudioDate;
  free: FreeDays;
  /** The number of rooms that the free hours are summed over. */
  rooms: number;
  onChange: (date: StudioDate) => void;
}) {
  const { horizonDays } = useBusiness();
  const list = useRef<HTMLUListElement>(null);
  const last = addDays(today, horizonDays);
  const first = daysBetween(today, value) < DAYS ? today : addDays(value, -BEFORE);
  const days = Array.from({ length: DAYS }, (_, index) => addDays(first, index)).filter((day) => day <= last);
  // Scroll the row so that the chosen day stays in view, but not the page.
  useEffect(() => {
    const row = list.current;
    const chosen = row?.querySelector<HTMLElement>('[aria-pressed="true"]')?.parentElement;
    if (!row || !chosen) return;
    const [from, to] = [chosen.offsetLeft, chosen.offsetLeft + chosen.offsetWidth];
    if (from < row.scrollLeft || to > row.scrollLeft + row.clientWidth)
      row.scrollLeft = (from + to - row.clientWidth) / 2;
  }, [value, first]);
  return (
    <ul
      ref={list}
      aria-label="Days"
      className="relative -my-1 flex min-w-0 grow gap-1.5 overflow-x-auto overscroll-x-contain py-1"
    >
      {days.map((day, index) => (
        <li key={day} className="min-w-12 flex-1">
          <Day
            day={day}
            today={today}
            chosen={day === value}
            hours={free?.get(day)}
            rooms={rooms}
            onKey={(event) => walk(event, index)}
            onChoose={() => onChange(day)}
          />
        </li>
      ))}
    </ul>
  );
});

/** Focuses the day to which an arrow key leads, or the first or last day. */
function walk(event: KeyboardEvent<HTMLButtonElement>, at: number): void {
  const step = STEPS[event.key];
  const days = event.currentTarget.closest('ul')?.children;
  const to = event.key === 'Home' ? 0 : event.key === 'End' ? (days?.length ?? 1) - 1 : at + (step ?? Number.NaN);
  const next = days?.[to]?.querySelector('button');
  if (!next) return;
  event.preventDefault();
  next.focus();
}

function Day({
  day,
  today,
  chosen,
  hours,
  rooms,
  onKey,
  onChoose,
}: {
  day: StudioDate;
  today: StudioDate;
  chosen: boolean;
  /** The number of free hours on the day; undefined while it is unknown. */
  hours: number | undefined;
  rooms: number;
  onKey: (event: KeyboardEvent<HTMLButtonElement>) => void;
  onChoose: () => void;
}) {
  const full = hours !== undefined && hours < 1;
  const share = hours === undefined ? 0 : Math.min(100, Math.round((hours / (24 * rooms)) * 100));
  const weekday = day === today ? 'Today' : formatStudioDate(day, 'medium').slice(0, 3);
  return (
    <button
      type="button"
      tabIndex={chosen ? 0 : -1}
      aria-pressed={chosen}
      aria-label={`${formatStudioDate(day)}${day === today ? ', today' : ''}${freeWords(hours)}`}
      onKeyDown={onKey}
      onClick={onChoose}
      className={`flex w-full flex-col items-center border-2 px-1 pt-1.5 pb-2 transition-colors ${chosen ? 'border-signal bg-signal text-ink' : 'border-line bg-booth hover:border-chalk'} ${full && !chosen ? 'text-dust' : ''}`}
    >
      <span className={`text-xs font-semibold ${chosen ? '' : 'text-fog'}`}>{weekday}</span>
      <span className={`text-lg leading-tight font-extrabold ${full ? 'line-through' : ''}`}>
        {Number(day.slice(8))}
      </span>
      <span aria-hidden="true" className={`mt-1 block h-1 w-full ${chosen ? 'bg-ink/25' : 'bg-line'}`}>
        <span
          className={`block h-full origin-left transition-[width] duration-500 ${chosen ? 'bg-ink' : 'bg-good'}`}
          style={{ width: `${share}%` }}
        />
      </span>
    </button>
  );
}
