import { useQuery } from '@tanstack/react-query';
import { type ComponentProps, type KeyboardEvent, type ReactNode, useState } from 'react';
import { addDays, formatStudioDate, formatStudioTime, type StudioDate, studioDate } from '#rules/studio-time.ts';
import { useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeLoadError } from '#web/lib/errors.ts';
import { useNow } from '#web/lib/use-now.ts';
import { useOutsideSydney } from '#web/lib/business/use-outside-sydney.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Loaded } from '#web/ui/progress.tsx';
import { Alerts } from './alerts.tsx';
import { DayList } from './day-list.tsx';
import { type DayBooking, nameCustomer, readDay, type StudioName } from './queries.ts';
import { Timeline } from './timeline.tsx';

type Days = {
  readonly studios: readonly StudioName[];
  /** The day that is shown; null for today. */
  readonly day: StudioDate | null;
  readonly onDay: (day: StudioDate | null) => void;
  /** Shows a booking. */
  readonly onBooking: (reference: string) => void;
  /** Renders the form that makes a booking, with a preselected day. */
  readonly newBooking: (form: NewBookingForm) => ReactNode;
};
type NewBookingForm = {
  readonly date: StudioDate;
  readonly onDone: (reference: string) => void;
  readonly onBack: () => void;
};

/** The alerts, and the rooms of a day: who is in, who comes, and whether the doors are ready. */
export function Today({ may, renderDisputes, ...days }: Days & ComponentProps<typeof Alerts>) {
  return (
    <>
      <Alerts may={may} renderDisputes={renderDisputes} />
      {may('bookings') ? <DayPart {...days} /> : null}
    </>
  );
}

function DayPart({ studios, day, onDay, onBooking, newBooking }: Days) {
  const [adding, setAdding] = useState(false);
  const now = useNow(30_000);
  const today = studioDate(now);
  const shown = day ?? today;
  useLive('staff', queryKeys.staffDay.all);
  const read = useQuery({
    queryKey: queryKeys.staffDay.of(shown),
    queryFn: () => readDay(shown),
    refetchInterval: 60_000,
  });
  return (
    <section aria-labelledby="day">
      <DayNavigation shown={shown} today={today} onDay={onDay} />
      <Button className="mb-6" disabled={studios.length === 0} onClick={() => setAdding(true)}>
        New booking
      </Button>
      <Dialog open={adding} title="New booking" wide onClose={() => setAdding(false)}>
        {adding
          ? newBooking({
              date: shown,
              onDone: (reference) => {
                setAdding(false);
                onBooking(reference);
              },
              onBack: () => setAdding(false),
            })
          : null}
      </Dialog>
      <Loaded query={read} what="the day" why={describeLoadError} skeleton="h-96">
        {(data) => (
          <div className="space-y-8">
            {shown === today ? <RoomsNow studios={studios} bookings={data.bookings} now={now} /> : null}
            <Timeline studios={studios} day={shown} content={data} now={now} />
            <DayList studios={studios} day={shown} content={data} now={now} />
          </div>
        )}
      </Loaded>
    </section>
  );
}

/** The heading with the buttons for the days. The arrow keys work on them too. */
function DayNavigation({
  shown,
  today,
  onDay,
}: {
  shown: StudioDate;
  today: StudioDate;
  onDay: (day: StudioDate | null) => void;
}) {
  const outsideSydney = useOutsideSydney();
  const go = (days: number): void => {
    const next = addDays(shown, days);
    onDay(next === today ? null : next);
  };
  function walk(event: KeyboardEvent): void {
    if (event.key === 'ArrowLeft') go(-1);
    else if (event.key === 'ArrowRight') go(1);
    else if (event.key === 'Home') onDay(null);
    else return;
    event.preventDefault();
  }
  return (
    <div className="mb-6 flex flex-wrap items-end justify-between gap-4">
      <div aria-live="polite">
        <h2 id="day" className="text-3xl">
          {shown === today ? 'Today, ' : ''}
          {formatStudioDate(shown)}
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
      <div role="group" aria-label="Day" className="flex gap-2">
        <Button tone="plain" className="px-4" aria-label="Previous day" onKeyDown={walk} onClick={() => go(-1)}>
          <span aria-hidden="true">←</span>
        </Button>
        <Button tone="plain" aria-pressed={shown === today} onKeyDown={walk} onClick={() => onDay(null)}>
          Today
        </Button>
        <Button tone="plain" className="px-4" aria-label="Next day" onKeyDown={walk} onClick={() => go(1)}>
          <span aria-hidden="true">→</span>
        </Button>
      </div>
    </div>
  );
}

/** Shows for each room who is in it now and who comes next today. */
function RoomsNow({
  studios,
  bookings,
  now,
}: {
  studios: readonly StudioName[];
  bookings: readonly DayBooking[];
  now: Date;
}) {
  return (
    <ul aria-label="Now" className="grid gap-3 sm:grid-cols-3">
      {studios.map(({ id, name }) => {
        const here = bookings.filter((booking) => booking.studioId === id && booking.endTime > now);
        const current = here.find((booking) => booking.startTime <= now);
        const next = here.find((booking) => booking.startTime > now);
        return (
          <li key={id} className={`border-t-4 bg-booth p-4 ${current ? 'border-signal' : 'border-line'}`}>
            <p className="text-sm font-semibold text-fog">{name}</p>
            <p className="mt-1 text-lg font-bold break-words">{current ? nameCustomer(current) : 'Empty'}</p>
            {current ? <p>until {formatStudioTime(current.endTime)}</p> : null}
            <p className="mt-2 text-sm break-words text-fog">
              {next ? `Next: ${nameCustomer(next)}, ${formatStudioTime(next.startTime)}` : 'No more bookings today'}
            </p>
          </li>
        );
      })}
    </ul>
  );
}
