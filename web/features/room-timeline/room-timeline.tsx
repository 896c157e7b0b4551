import { useMemo, useRef, useState } from 'react';
import { formatMoney } from '#rules/money.ts';
import { type Slot, slotLabel } from '#rules/slots.ts';
import { addDays, formatStudioDate, type StudioDate } from '#rules/studio-time.ts';
import { venue } from '#rules/venue.ts';
import { SLOT_ICON, SLOT_LOOK } from '#web/data/finding/slot-look.ts';
import { type SlotState, slotState } from '#web/data/finding/slot-state.ts';
import { NewsLine } from '#web/lib/business/news-line.tsx';
import { useArrival } from '#web/data/finding/use-arrival.ts';
import { useBusiness } from '#web/lib/business/business.ts';
import { useMedia } from '#web/lib/use-browser.ts';
import { LoadFailed, Skeleton } from '#web/ui/notice.tsx';
import { earlyHours, priceSteps, shownHours } from './shown-hours.ts';
import { PriceMark } from './timeline-cell.tsx';
import { TimelineGrid, type TimelineRoom } from './timeline-grid.tsx';
import { useRoomsHours } from './use-rooms-hours.ts';
import { useRoomsNews } from './use-rooms-news.ts';

/** Actions on an hour of a room, which is identified by its id. */
type RoomActions = {
  readonly onToggle: (studioId: string, slot: Slot) => void;
  readonly onReach: (studioId: string, from: Slot, to: Slot, isFree: (slot: Slot) => boolean) => void;
  /** Called when a taken hour is pressed. */
  readonly onTaken: (studioId: string, slot: Slot) => void;
};

/** Shows the hours of all rooms on one day and the next morning. The customer can choose a span in any of them. */
export function RoomTimeline({
  rooms,
  userId,
  ready,
  date,
  selection,
  now,
  paused,
  ...actions
}: RoomActions & {
  rooms: readonly TimelineRoom[];
  userId: string | null;
  /** Whether it is known who is signed in. */
  ready: boolean;
  date: StudioDate;
  /** `arrival`: the hour to focus after an offer was taken. */
  selection: {
    readonly studioId: string | null;
    readonly slots: readonly Slot[];
    readonly arrival: Slot | null;
  };
  now: Date;
  /** True while the browser leaves for the payment. */
  paused: boolean;
}) {
  const across = useMedia('(min-width: 64rem)');
  const { taken, checkedAt, unsure, live, refetch } = useRoomsHours({
    studioIds: rooms.map(({ id }) => id),
    userId,
    ready,
    date,
    paused,
  });
  const news = useRoomsNews(rooms, date, taken, now);
  const { hours, folded, unfold } = useShownHours({ date, now, selection: selection.slots, folds: !across });
  const { horizonDays } = useBusiness();
  const states = rooms.map(({ id }): SlotState[] =>
    hours.map((slot) =>
      slotState(slot, id === selection.studioId ? selection.slots : [], taken?.get(id) ?? [], now, horizonDays),
    ),
  );
  const steps = priceSteps(hours, rooms);
  const section = useRef<HTMLElement>(null);
  useArrival(section, taken === undefined ? null : selection.arrival, '[data-state="selected"]');
  const getId = (room: number): string => rooms[room]?.id ?? '';
  if (taken === undefined)
    return unsure ? (
      <LoadFailed title="We can’t show which hours are free right now." onRetry={refetch} />
    ) : (
      <Skeleton label="Loading the hours of all rooms" className="h-[40rem] lg:h-80" />
    );
  return (
    <section ref={section} aria-label="Hours" className="animate-rise">
      <Heading date={date} hours={hours} />
      <NewsLine sentence={news.sentence} live={live} unsure={unsure} checkedAt={checkedAt} />
      {folded ? <Early until={hours[0]} onUnfold={unfold} /> : null}
      <TimelineGrid
        key={date}
        rooms={rooms}
        date={date}
        hours={hours}
        states={states}
        steps={steps}
        marked={news.marked}
        chosen={selection.slots.length > 0 ? selection.studioId : null}
        across={across}
        onToggle={(room, slot) => actions.onToggle(getId(room), slot)}
        onReach={(room, ...reached) => actions.onReach(getId(room), ...reached)}
        onTaken={(room, slot) => actions.onTaken(getId(room), slot)}
      />
      {states.flat().includes('free') || selection.slots.length > 0 ? null : (
        <p className="mt-4 border-l-4 border-line bg-booth p-3 text-fog">
          No hours are left in any room on this day. Press a taken hour and we’ll tell you when it’s free.
        </p>
      )}
      <Legend steps={across ? steps : []} />
    </section>
  );
}

/**
 * Returns the hours that are shown. On a phone (`folds`), the first hours of the day, which belong to the night before, are folded until
 * the customer unfolds them.
 */
function useShownHours(shown: { date: StudioDate; now: Date; selection: readonly Slot[]; folds: boolean }) {
  const { date, now, selection, folds } = shown;
  const { horizonDays } = useBusiness();
  const minute = Math.floor(now.getTime() / 60_000) * 60_000;
  const all = useMemo(() => shownHours(date, new Date(minute), horizonDays), [date, minute, horizonDays]);
  const [unfolded, setUnfolded] = useState<StudioDate | null>(null);
  const early = folds && unfolded !== date ? earlyHours(all, date, selection) : 0;
  const hours = useMemo(() => all.slice(early), [all, early]);
  return { hours, folded: early > 0, unfold: () => setUnfolded(date) };
}

function Early({ until, onUnfold }: { until: Slot | undefined; onUnfold: () => void }) {
  return (
    <button
      type="button"
      onClick={onUnfold}
      className="mb-1 min-h-11 w-full border-2 border-deck px-3 text-left text-sm text-fog underline decoration-edge underline-offset-4 hover:text-chalk"
    >
      Show the hours before {slotLabel(until?.hour ?? 0)}
    </button>
  );
}

function Heading({ date, hours }: { date: StudioDate; hours: readonly Slot[] }) {
  const next = addDays(date, 1);
  return (
    <div className="mb-2 flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
      <h2 className="text-2xl" aria-live="polite">
        {formatStudioDate(date, 'long')}
      </h2>
      <p className="text-sm text-fog">
        {hours.some((slot) => slot.date === next) ? `and the morning of ${formatStudioDate(next, 'short')}, ` : ''}
        {venue.timeZoneLabel}
      </p>
    </div>
  );
}

const SHOWN: readonly (readonly [SlotState, string])[] = [
  ['selected', 'Selected'],
  ['taken', 'Taken'],
  ['paying', 'Being paid for'],
  ['yours', 'Yours'],
];

const FREE: readonly [SlotState, string] = ['free', 'Free'];

function Legend({ steps }: { steps: readonly number[] }) {
  return (
    <ul className="mt-4 flex flex-wrap gap-x-5 gap-y-2 text-xs text-fog" aria-label="What the hours look like and cost">
      {steps.map((cents, level) => (
        <li key={cents} className="flex items-center gap-2">
          <span aria-hidden="true" className="flex h-5 w-7 items-end border-2 border-line bg-booth">
            <PriceMark level={level} className="max-h-full w-full bg-edge" />
          </span>
          Free, {formatMoney(cents)} an hour
        </li>
      ))}
      {[...(steps.length === 0 ? [FREE] : []), ...SHOWN].map(([state, word]) => {
        const Icon = SLOT_ICON[state];
        return (
          <li key={state} className="flex items-center gap-2">
            <span className={`grid h-5 w-7 place-items-center border-2 ${SLOT_LOOK[state]}`} aria-hidden="true">
              {Icon ? <Icon className="size-3" strokeWidth={3} /> : null}
            </span>
            {word}
          </li>
        );
      })}
    </ul>
  );
}
