import { Ban, CalendarCheck } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { formatMoney } from '#rules/money.ts';
import { quoteSlots, type Rates } from '#rules/pricing.ts';
import { slotLabel, toSpan } from '#rules/slots.ts';
import { formatStudioDate, studioDate, type StudioDate } from '#rules/studio-time.ts';
import { constants } from '#rules/venue.ts';
import { SLOT_LOOK } from '#web/data/finding/slot-look.ts';
import { useBusiness } from '#web/lib/business/business.ts';
import { withOwnRoom } from '#web/lib/business/own-room.ts';
import { useNow } from '#web/lib/use-now.ts';
import { SelectField } from '#web/ui/choice.tsx';
import { LoadFailed, Skeleton } from '#web/ui/notice.tsx';
import { ChangeStep } from './change-step.tsx';
import { type Start, listStarts, useTaken } from './free-hours.ts';
import type { BookingPage } from './queries.ts';

/** A room to which a booking can move, with its prices (`rates`). */
export type MoveRoom = { readonly id: string; readonly name: string; readonly rates: Rates };
/** Renders the choice of a day in a room. */
export type DayPart = (chooses: {
  readonly studioId: string;
  readonly today: StudioDate;
  readonly date: StudioDate;
  readonly onDay: (date: StudioDate) => void;
}) => ReactNode;

/** Lets the customer choose other hours or another room on the grid of the day, with prices. Shows the cost of the move before anything changes. */
export function MoveForm({
  booking,
  rooms,
  days,
  userId,
  onDone,
}: {
  booking: BookingPage;
  rooms: readonly MoveRoom[];
  days: DayPart;
  userId: string;
  onDone: () => void;
}) {
  const now = useNow(30_000);
  const { horizonDays } = useBusiness();
  const [at, setAt] = useState({
    studioId: booking.studioId,
    date: studioDate(booking.startTime),
    hours: booking.totalHours,
  });
  const [start, setStart] = useState<Start | null>(null);
  const today = studioDate(now);
  const taken = useTaken(at.studioId, at.date, userId);
  const room = rooms.find(({ id }) => id === at.studioId);
  const studioName = room?.name ?? booking.studioName;
  if (start !== null) {
    const span = toSpan(start.slots);
    return (
      <ChangeStep
        booking={booking}
        userId={userId}
        change={{ kind: 'move', studioId: at.studioId, ...span }}
        to={{ studioName, ...span }}
        onDone={onDone}
        onBack={() => setStart(null)}
      />
    );
  }
  const current = taken.data?.studioId === at.studioId && taken.data.date === at.date ? taken.data.taken : null;
  return (
    <div className="space-y-5">
      <div className="grid grid-cols-2 gap-4">
        <SelectField
          label="Room"
          value={at.studioId}
          options={withOwnRoom(rooms, booking).map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(event) => setAt({ ...at, studioId: event.target.value })}
        />
        <SelectField
          label="How long"
          value={String(at.hours)}
          options={Array.from({ length: constants.maxHours }, (_, index) => ({
            value: String(index + 1),
            label: index === 0 ? '1 hour' : `${index + 1} hours`,
          }))}
          onChange={(event) => setAt({ ...at, hours: Number(event.target.value) })}
        />
      </div>
      {days({ studioId: at.studioId, today, date: at.date, onDay: (date) => setAt({ ...at, date }) })}
      {current !== null ? (
        <Starts
          day={at.date}
          starts={listStarts(booking, at, { taken: current, now, horizonDays })}
          rates={room?.rates ?? null}
          hours={at.hours}
          hasCode={booking.couponCode !== null}
          onChoose={setStart}
        />
      ) : taken.isError ? (
        <LoadFailed title="We can’t show which hours are free right now." onRetry={() => void taken.refetch()} />
      ) : (
        <Skeleton className="h-64" label="Loading hours" />
      )}
    </div>
  );
}

/**
 * The starts of a day, in the style of the booking page. `rates`: null if the room is no longer offered. `hasCode`: the booking has a code,
 * which the prices do not include.
 */
function Starts({
  day,
  starts,
  rates,
  hours,
  hasCode,
  onChoose,
}: {
  day: StudioDate;
  starts: readonly Start[];
  rates: Rates | null;
  hours: number;
  hasCode: boolean;
  onChoose: (start: Start) => void;
}) {
  return (
    <fieldset className="min-w-0">
      <legend className="font-semibold" aria-live="polite">
        {formatStudioDate(day)}: start at, Sydney time
      </legend>
      {starts.some(({ free }) => free) ? (
        <p className="mt-1 text-sm text-fog">
          {hours === 1 ? 'Price of the hour' : `Price of all ${hours} hours`}
          {hasCode ? ', before your code' : ''}. The next step says what changes for you.
        </p>
      ) : (
        <p className="mt-2 text-fog">Nothing free that long on this day. Try another day or room, or fewer hours.</p>
      )}
      <div className="mt-3 grid grid-cols-3 gap-1.5 sm:grid-cols-4">
        {starts.map((start) => (
          <StartButton
            key={start.hour}
            start={start}
            price={rates === null ? '' : formatMoney(quoteSlots(start.slots, rates).totalCents)}
            onChoose={() => onChoose(start)}
          />
        ))}
      </div>
    </fieldset>
  );
}

function StartButton({ start, price, onChoose }: { start: Start; price: string; onChoose: () => void }) {
  const state = start.free ? 'free' : start.now ? 'yours' : 'taken';
  const words = start.free ? price : start.now ? 'your hours now' : 'not free';
  const Icon = start.free ? null : start.now ? CalendarCheck : Ban;
  return (
    <button
      type="button"
      disabled={!start.free}
      onClick={onChoose}
      aria-label={`${slotLabel(start.hour)}, ${words}`}
      className={`flex min-h-16 flex-col items-start justify-between border-2 px-3 py-2 text-left tabular-nums disabled:cursor-not-allowed ${SLOT_LOOK[state]}`}
    >
      <span className="flex w-full items-center justify-between gap-1">
        <span className={`font-bold whitespace-nowrap ${state === 'taken' ? 'line-through' : ''}`}>
          {slotLabel(start.hour)}
        </span>
        {Icon === null ? null : <Icon aria-hidden="true" className="size-4 shrink-0" strokeWidth={2.5} />}
      </span>
      <span className={start.free ? 'text-sm' : 'text-xs'}>{words}</span>
    </button>
  );
}
