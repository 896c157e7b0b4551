import { memo } from 'react';
import { DayPicker } from 'react-day-picker';
import { addDays, type StudioDate } from '#rules/studio-time.ts';
import { useBusiness } from '#web/lib/business/business.ts';

/** DayPicker works with local dates: a Sydney day maps to the same calendar numbers in local time. */
const toLocal = (date: StudioDate): Date => {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  return new Date(year, month - 1, day, 12);
};
const toStudio = (date: Date): StudioDate =>
  `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}-${String(date.getDate()).padStart(2, '0')}`;

/** Memoised: a press on an hour changes no day, and a month takes long to render. */
export const Calendar = memo(function Calendar({
  today,
  value,
  onChange,
}: {
  today: StudioDate;
  value: StudioDate | null;
  onChange: (date: StudioDate) => void;
}) {
  const { horizonDays } = useBusiness();
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
