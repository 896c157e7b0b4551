import { useQuery } from '@tanstack/react-query';
import { addDays, formatStudioDate, type StudioDate, studioDate, weekdayOf } from '#rules/studio-time.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { LoadFailed, Skeleton } from '#web/ui/notice.tsx';
import { readFreeDays } from './queries.ts';
import { mondayOf, type View } from './span.ts';

const DAYS = 28;
const NAMES = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** Four weeks from the week of a day, each day with the share of its hours that is free. A press shows the day. */
export function FreeDays({
  view,
  day,
  studioId,
  now,
  onDay,
}: {
  view: View;
  day: StudioDate;
  /** null: all studios. */
  studioId: string | null;
  now: Date;
  onDay: (day: StudioDate) => void;
}) {
  // The strip stays while days of its first two weeks are walked through.
  const thisWeek = mondayOf(studioDate(now));
  const first = day >= thisWeek && day < addDays(thisWeek, 14) ? thisWeek : mondayOf(day);
  const read = useQuery({
    queryKey: queryKeys.staffCalendar.of('free', first, DAYS, studioId),
    queryFn: () => readFreeDays({ first, days: DAYS, studioId }),
    refetchInterval: 60_000,
  });
  if (read.isError && !read.data)
    return (
      <LoadFailed
        title="The free hours could not be loaded."
        why={describeError(read.error, 'Check your connection.')}
        onRetry={() => void read.refetch()}
      />
    );
  if (read.data === undefined) return <Skeleton className="h-[15.5rem] sm:h-40" label="Loading the free hours" />;
  return (
    <ul aria-label="Free hours" className="grid grid-cols-7 gap-1 sm:grid-cols-14">
      {read.data.map((one) => (
        <li key={one.day}>
          <Day
            {...one}
            chosen={view === 'day' ? one.day === day : mondayOf(one.day) === mondayOf(day)}
            today={one.day === studioDate(now)}
            onDay={onDay}
          />
        </li>
      ))}
    </ul>
  );
}

function Day({
  day,
  free,
  hours,
  chosen,
  today,
  onDay,
}: {
  day: StudioDate;
  free: number;
  hours: number;
  chosen: boolean;
  today: boolean;
  onDay: (day: StudioDate) => void;
}) {
  const share = hours === 0 ? 0 : Math.round((free / hours) * 100);
  return (
    <button
      type="button"
      aria-pressed={chosen}
      aria-label={`${formatStudioDate(day)}${today ? ', today' : ''}: ${share}% free`}
      title={`${share}% free`}
      onClick={() => onDay(day)}
      className={`flex min-h-11 w-full flex-col items-stretch border bg-booth px-1 pt-1 pb-1.5 text-center text-xs hover:border-chalk ${chosen ? 'border-signal' : today ? 'border-fog' : 'border-line'}`}
    >
      <span className="text-dust max-sm:hidden">{NAMES[weekdayOf(day)]}</span>
      <span className={`text-sm ${chosen || today ? 'font-bold' : 'text-fog'}`}>{Number(day.slice(8))}</span>
      <span className="mt-1 block h-1.5 bg-edge">
        <span className="block h-full bg-good" style={{ width: `${share}%` }} />
      </span>
      <span className="mt-0.5 text-[11px] text-dust tabular-nums">{share}%</span>
    </button>
  );
}
