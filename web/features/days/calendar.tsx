import { memo } from 'react';
import { DayPicker, labelDayButton } from 'react-day-picker';
import { addDays, type StudioDate } from '#rules/studio-time.ts';
import { useBusiness } from '#web/lib/business/business.ts';
import { freeWords, type FreeDays } from './free-words.ts';

/** DayPicker works with local dates, so a Sydney day is mapped to the same calendar numbers in local time. */
const toLocal = (date: StudioDate): Date => {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  return new Date(year, month - 1, day, 12);
};
const toStudio = (date: Date): StudioDate =>
  `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}-${String(date.getDate()).padStart(2, '0')}`;

/** A bar below the day's number. Its length shows how much of the day is free. */
const BAR =
  '[&>button]:relative [&>button]:after:absolute [&>button]:after:bottom-1 [&>button]:after:left-1/2 [&>button]:after:h-0.5 [&>button]:after:-translate-x-1/2 [&>button]:after:bg-good';

/** Memoised: a press on an hour does not change the days, and a month takes long to render. */
export const Calendar = memo(function Calendar({
  today,
  value,
  free,
  rooms = 1,
  onChange,
}: {
  today: StudioDate;
  value: StudioDate | null;
  free?: FreeDays;
  /** The number of rooms that the free hours are summed over. */
  rooms?: number;
  onChange: (date: StudioDate) => void;
}) {
  const { horizonDays } = useBusiness();
  const isBetween =
    (low: number, high: number) =>
    (date: Date): boolean => {
      const hours = free?.get(toStudio(date));
      return hours !== undefined && hours > low * rooms && hours <= high * rooms;
    };
  const last = toLocal(addDays(today, horizonDays));
  return (
    <DayPicker
      mode="single"
      required
      weekStartsOn={0}
      today={toLocal(today)}
      selected={value === null ? undefined : toLocal(value)}
      defaultMonth={toLocal(value ?? today)}
      onSelect={(date: Date) => onChange(toStudio(date))}
      disabled={[{ before: toLocal(today) }, { after: last }]}
      modifiers={{ full: isBetween(-1, 0), few: isBetween(0, 6), some: isBetween(6, 15), many: isBetween(15, 25) }}
      modifiersClassNames={{
        full: '[&>button]:line-through [&>button]:text-dust',
        few: `${BAR} [&>button]:after:w-1/5`,
        some: `${BAR} [&>button]:after:w-2/5`,
        many: `${BAR} [&>button]:after:w-3/5`,
      }}
      labels={{
        labelDayButton: (date, modifiers) =>
          `${labelDayButton(date, modifiers)}${modifiers['disabled'] === true ? '' : freeWords(free?.get(toStudio(date)))}`,
      }}
      startMonth={toLocal(today)}
      endMonth={last}
      classNames={{
        root: 'relative bg-booth p-4',
        month_caption: 'mb-3 flex h-11 items-center text-lg font-bold',
        nav: 'absolute top-4 right-4 flex gap-1',
        button_previous:
          'size-11 border border-line grid place-items-center hover:border-chalk disabled:opacity-30 [&_svg]:fill-chalk',
        button_next:
          'size-11 border border-line grid place-items-center hover:border-chalk disabled:opacity-30 [&_svg]:fill-chalk',
        month_grid: 'w-full border-collapse',
        weekday: 'pb-2 text-xs font-semibold text-dust',
        day: 'p-0.5 text-center',
        day_button:
          'aspect-square w-full min-w-8 font-semibold hover:bg-deck disabled:text-line disabled:hover:bg-transparent',
        selected: '[&>button]:bg-signal [&>button]:text-ink [&>button:hover]:bg-signal',
        today:
          '[&>button]:underline [&>button]:decoration-signal [&>button]:decoration-2 [&>button]:underline-offset-4',
        outside: 'invisible',
      }}
    />
  );
});
