import { type ReactNode, useEffect, useEffectEvent, useRef } from 'react';
import type { Rates } from '#rules/pricing.ts';
import { type Slot, slotLabel, sortSlots } from '#rules/slots.ts';
import { addDays, formatStudioDate, studioHour } from '#rules/studio-time.ts';
import { venue } from '#rules/venue.ts';
import type { Taken } from '#web/data/finding/taken.ts';
import { useBusiness } from '#web/lib/business/business.ts';
import { NewsLine } from '#web/lib/business/news-line.tsx';
import { LoadFailed } from '#web/ui/notice.tsx';
import { Progress } from '#web/ui/progress.tsx';
import { DayNote } from './day-note.tsx';
import { NightButtons } from './night-buttons.tsx';
import { NoHours } from './no-hours.tsx';
import { Legend, SlotGrid } from './slot-grid.tsx';
import { slotState } from '#web/data/finding/slot-state.ts';
import { useArrival } from '#web/data/finding/use-arrival.ts';
import { isFull } from './selection.ts';
import type { Choice } from './use-choice.ts';
import { useHourNews } from './use-hour-news.ts';

/** From noon on, most people look for an hour in the evening, so a phone scrolls until the evening is visible. */
const [NOON, EVENING] = [12, 20];
const PHONE = '(width < 48rem)';

/** Shows the hours of the chosen day: the grid, its notes, and the buttons across midnight. */
export function DayHours({
  choice,
  rates,
  now,
  lostPart,
  onTaken,
  onChange,
}: {
  choice: Choice;
  rates: Rates;
  now: Date;
  /** What the customer can do about lost hours; null if none were lost. */
  lostPart: ReactNode;
  /** Called when a taken hour is pressed. Null: the customer wants to join the wait list for this day without a certain hour. */
  onTaken: (slot: Slot | null) => void;
  /** Called when the selection has changed. */
  onChange: () => void;
}) {
  const { date, slots, hours, arrival } = choice;
  const section = useRef<HTMLElement>(null);
  const shown = hours.taken !== undefined && arrival?.date === date ? arrival : null;
  useArrival(section, shown, `[data-hour="${arrival?.hour}"]`);
  return (
    <section ref={section} aria-label="Hours" className="lg:row-span-2 xl:row-span-1">
      <div className="mb-4 flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h2 className="text-2xl" aria-live="polite">
          {formatStudioDate(date, 'long')}
        </h2>
        <p className="text-sm text-fog">{venue.timeZoneLabel}</p>
      </div>
      <DayNote date={date} />
      {lostPart ? <div className="mb-4">{lostPart}</div> : null}
      <FullDay choice={choice} now={now} />
      <OtherDay slots={slots.filter((slot) => slot.date < date)} word="From" />
      {hours.taken ? (
        <>
          <Grid choice={choice} rates={rates} taken={hours.taken} now={now} onTaken={onTaken} onChange={onChange} />
          <OtherDay slots={slots.filter((slot) => slot.date > date)} word="On to" />
          <Legend />
          <button
            type="button"
            onClick={() => onTaken(null)}
            className="mt-2 min-h-11 text-left text-sm text-fog underline decoration-edge underline-offset-4 hover:text-chalk"
          >
            Hours taken? We’ll tell you when they’re free
          </button>
        </>
      ) : hours.failed ? (
        <LoadFailed title="We can’t show which hours are free right now." onRetry={hours.refetch} />
      ) : (
        <GridSkeleton />
      )}
      <div className="mt-4">
        <NightButtons choice={choice} />
      </div>
    </section>
  );
}

/** Offers other days if this one is full. */
function FullDay({ choice, now }: { choice: Choice; now: Date }) {
  const { date, slots, hours } = choice;
  const { horizonDays } = useBusiness();
  return slots.length === 0 && hours.taken && isFull(date, hours.taken, now, horizonDays) ? (
    <NoHours date={date} today={choice.today} onDay={choice.chooseDay} />
  ) : null;
}

function Grid({
  choice,
  rates,
  taken,
  now,
  onTaken,
  onChange,
}: {
  choice: Choice;
  rates: Rates;
  taken: readonly Taken[];
  now: Date;
  onTaken: (slot: Slot) => void;
  onChange: () => void;
}) {
  const { date, slots, today, studioId, lost, hours } = choice;
  const { horizonDays } = useBusiness();
  const grid = useRef<HTMLDivElement>(null);
  const pressed = useRef<number | null>(null);
  useEffect(() => {
    // The first press brings up the bar along the lower edge of a phone. The bar must not cover the pressed hour.
    const hour = pressed.current;
    pressed.current = null;
    if (hour !== null) grid.current?.querySelector(`[data-hour="${hour}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [slots]);
  const openAtEvening = useEffectEvent(() => {
    if (slots.length > 0 || studioHour(now) < NOON || !window.matchMedia(PHONE).matches) return;
    grid.current?.querySelector(`[data-hour="${EVENING}"]`)?.scrollIntoView({ block: 'nearest' });
  });
  useEffect(() => openAtEvening(), [date, studioId]);
  const { marked, sentence } = useHourNews({ studioId, date, taken, lost: lost?.slots ?? [], now });
  /** Handles an arrow key that leaves the grid at its beginning or end. */
  function cross(step: 1 | -1, extend: boolean): void {
    const to: Slot = { date: addDays(date, step), hour: step === 1 ? 0 : 23 };
    if (to.date < today) return;
    if (extend && slotState(to, slots, taken, now, horizonDays) === 'free') {
      choice.toggle(to);
      onChange();
    }
    choice.goTo(to);
  }
  return (
    <div ref={grid}>
      <NewsLine sentence={sentence} live={hours.live} unsure={hours.unsure} checkedAt={hours.checkedAt} />
      <SlotGrid
        key={date}
        date={date}
        rates={rates}
        selection={slots}
        taken={taken}
        now={now}
        marked={marked}
        onToggle={(slot, chosen) => {
          pressed.current = slot.hour;
          choice.toggle(slot, chosen);
          onChange();
        }}
        onReach={(...reached) => {
          choice.reach(...reached);
          onChange();
        }}
        onCross={cross}
        onTaken={onTaken}
      />
    </div>
  );
}

/** Lists the selected hours that lie on the day before or after the one shown. */
function OtherDay({ slots, word }: { slots: readonly Slot[]; word: string }) {
  const sorted = sortSlots(slots);
  const [first] = sorted;
  if (!first) return null;
  return (
    <p className="my-2 border-l-4 border-signal bg-booth px-3 py-2 text-sm font-semibold">
      <span className="text-fog">
        {word} {formatStudioDate(first.date, 'short')}:
      </span>{' '}
      {sorted.map((slot) => slotLabel(slot.hour)).join(', ')}
    </p>
  );
}

/** Has the height of the grid, so that the layout does not shift when the hours load. */
function GridSkeleton() {
  return (
    <div className="relative">
      <div className="grid grid-cols-3 gap-1.5 sm:grid-cols-4" role="status" aria-label="Loading hours">
        {Array.from({ length: 24 }, (_, hour) => (
          <span key={hour} className="skeleton h-16" />
        ))}
      </div>
      <p className="absolute inset-x-4 top-4">
        <Progress
          on
          words={[
            '',
            'Still checking which hours are free.',
            'Your connection is slow. The hours will appear automatically.',
          ]}
        />
      </p>
    </div>
  );
}
