import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { studioDate } from '#rules/studio-time.ts';
import { useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeLoadError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { SelectField } from '#web/ui/choice.tsx';
import { Field } from '#web/ui/field.tsx';
import { Loaded } from '#web/ui/progress.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { type Days, daysBefore, formatDays, periods, findProblem } from './days.ts';
import { Figures } from './figures.tsx';
import { HeatMap } from './heat-map.tsx';
import { Months } from './months.tsx';
import { type Numbers as Read, readNumbers } from './queries.ts';

/** The values from the address. `first` and `last` may be invalid days. */
export type Chosen = { readonly first: string | null; readonly last: string | null; readonly studioId: string | null };
type Choose = (days: Days, studioId: string | null) => void;
type Studios = readonly { readonly id: string; readonly name: string }[];

/** The numbers of the business for a range of days, next to those of the range before. */
export function Numbers({ chosen, studios, onChoose }: { chosen: Chosen; studios: Studios; onChoose: Choose }) {
  const [offered] = useState(() => periods(studioDate(new Date())));
  const first = chosen.first ?? offered[0]?.days.first ?? '';
  const days = { first, last: chosen.last ?? offered[0]?.days.last ?? first };
  const studioId = studios.some(({ id }) => id === chosen.studioId) ? chosen.studioId : null;
  const problem = findProblem(days);
  return (
    <>
      <h2 className="text-3xl">Numbers</h2>
      <p className="mt-2 mb-6 text-fog">Days are Sydney days. Test bookings are not counted.</p>
      <div className="mb-4 flex flex-wrap gap-2">
        {offered.map((range) => (
          <Button
            key={range.label}
            tone="plain"
            className="aria-pressed:border-signal"
            aria-pressed={range.days.first === days.first && range.days.last === days.last}
            onClick={() => onChoose(range.days, studioId)}
          >
            {range.label}
          </Button>
        ))}
      </div>
      <div className="mb-6 grid max-w-3xl grid-cols-2 gap-4 sm:grid-cols-3">
        <Field
          label="First day"
          type="date"
          value={days.first}
          onChange={(event) => onChoose({ ...days, first: event.target.value }, studioId)}
        />
        <Field
          label="Last day"
          type="date"
          value={days.last}
          onChange={(event) => onChoose({ ...days, last: event.target.value }, studioId)}
        />
        <SelectField
          label="Room"
          className="max-sm:col-span-2"
          value={studioId ?? ''}
          options={[{ value: '', label: 'All rooms' }, ...studios.map(({ id, name }) => ({ value: id, label: name }))]}
          onChange={(event) => onChoose(days, event.target.value === '' ? null : event.target.value)}
        />
      </div>
      {problem === null ? <Counted days={days} studioId={studioId} /> : <Notice tone="bad">{problem}</Notice>}
    </>
  );
}

function useNumbers(days: Days, studioId: string | null) {
  return useQuery({
    queryKey: queryKeys.numbers.of(days.first, days.last, studioId),
    queryFn: () => readNumbers(days, studioId),
  });
}

function Counted({ days, studioId }: { days: Days; studioId: string | null }) {
  useLive('staff', queryKeys.numbers.all);
  const earlier = daysBefore(days);
  const numbers = useNumbers(days, studioId);
  const before = useNumbers(earlier, studioId);
  return (
    <Loaded query={numbers} what="the numbers" why={describeLoadError} skeleton="h-96">
      {(data) => <Shown now={data} before={before.isError ? null : before.data} beforeDays={formatDays(earlier)} />}
    </Loaded>
  );
}

function Shown({ now, before, beforeDays }: { now: Read; before: Read | null | undefined; beforeDays: string }) {
  return (
    <>
      <Figures now={now} before={before} beforeDays={beforeDays} />
      <h3 className="mt-10 mb-4 text-2xl">Money by month</h3>
      <Months months={now.months} />
      <h3 className="mt-10 mb-4 text-2xl">Occupancy by hour</h3>
      <HeatMap hours={now.occupancy} />
    </>
  );
}
