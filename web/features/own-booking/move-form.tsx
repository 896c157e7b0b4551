import { useState } from 'react';
import { slotLabel, spanOf } from '#rules/slots.ts';
import { addDays, formatStudioDate, isStudioDate, studioDate, type StudioDate } from '#rules/studio-time.ts';
import { settings } from '#rules/venue.ts';
import { useBusiness } from '#web/lib/business/business.ts';
import { withOwnRoom } from '#web/lib/business/own-room.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Button } from '#web/ui/button.tsx';
import { SelectField } from '#web/ui/choice.tsx';
import { Field } from '#web/ui/field.tsx';
import { LoadFailed, Skeleton } from '#web/ui/notice.tsx';
import { ChangeStep } from './change-step.tsx';
import { type Start, startsOf, useTaken } from './free-hours.ts';
import type { BookingPage } from './queries.ts';

type Room = { readonly id: string; readonly name: string };

/** Chooses other hours or another room with the free hours of the day, and says what it costs before anything changes. */
export function MoveForm({
  booking,
  rooms,
  userId,
  onDone,
}: {
  booking: BookingPage;
  rooms: readonly Room[];
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
  const [today, last] = [studioDate(now), addDays(studioDate(now), horizonDays)];
  const taken = useTaken(at.studioId, at.date, userId);
  const studioName = rooms.find(({ id }) => id === at.studioId)?.name ?? booking.studioName;
  if (start !== null) {
    const span = spanOf(start.slots);
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
  const known = taken.data?.studioId === at.studioId && taken.data.date === at.date ? taken.data.taken : null;
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
          options={Array.from({ length: settings.maxHours }, (_, index) => ({
            value: String(index + 1),
            label: index === 0 ? '1 hour' : `${index + 1} hours`,
          }))}
          onChange={(event) => setAt({ ...at, hours: Number(event.target.value) })}
        />
      </div>
      <DayChoice day={at.date} today={today} last={last} onDay={(date) => setAt({ ...at, date })} />
      {known !== null ? (
        <Starts day={at.date} starts={startsOf(booking, at, { taken: known, now, horizonDays })} onChoose={setStart} />
      ) : taken.isError ? (
        <LoadFailed title="We can’t show which hours are free right now." onRetry={() => void taken.refetch()} />
      ) : (
        <Skeleton className="h-64" label="Loading hours" />
      )}
    </div>
  );
}

/** A day from today to the last that can be booked. */
function DayChoice({
  day,
  today,
  last,
  onDay,
}: {
  day: StudioDate;
  today: StudioDate;
  last: StudioDate;
  onDay: (day: StudioDate) => void;
}) {
  // While somebody types, the field shows days that cannot be chosen: the year 2 on the way to 2027.
  const [typed, setTyped] = useState<string | null>(null);
  const [wrong, setWrong] = useState(false);
  const fits = (value: string): value is StudioDate => isStudioDate(value) && value >= today && value <= last;
  return (
    <div className="flex items-end gap-2">
      <Button tone="plain" aria-label="Day before" disabled={day <= today} onClick={() => onDay(addDays(day, -1))}>
        ←
      </Button>
      <Field
        label="Day"
        type="date"
        className="grow"
        value={typed ?? day}
        min={today}
        max={last}
        error={wrong ? `Choose a day from today to ${formatStudioDate(last, 'medium')}.` : null}
        onChange={({ target: { value } }) => {
          setTyped(value);
          setWrong(false);
          if (fits(value)) onDay(value);
        }}
        onBlur={() => {
          setWrong(typed !== null && !fits(typed));
          setTyped(null);
        }}
      />
      <Button tone="plain" aria-label="Next day" disabled={day >= last} onClick={() => onDay(addDays(day, 1))}>
        →
      </Button>
    </div>
  );
}

function Starts({
  day,
  starts,
  onChoose,
}: {
  day: StudioDate;
  starts: readonly Start[];
  onChoose: (start: Start) => void;
}) {
  return (
    <fieldset className="min-w-0">
      <legend className="font-semibold" aria-live="polite">
        {formatStudioDate(day)}: start at, Sydney time
      </legend>
      {starts.some(({ free }) => free) ? null : (
        <p className="mt-2 text-fog">Nothing free that long on this day. Try another day or room, or fewer hours.</p>
      )}
      <div className="mt-3 grid grid-cols-3 gap-1.5 sm:grid-cols-4">
        {starts.map((start) => (
          <button
            key={start.hour}
            type="button"
            disabled={!start.free}
            onClick={() => onChoose(start)}
            className={`min-h-12 border-2 font-semibold tabular-nums ${
              start.free
                ? 'border-edge bg-deck hover:border-signal'
                : start.now
                  ? 'border-signal text-signal'
                  : 'border-transparent text-dust line-through'
            }`}
          >
            {slotLabel(start.hour)}
            <span className="sr-only">{start.now ? ', your hours now' : start.free ? '' : ', not free'}</span>
          </button>
        ))}
      </div>
    </fieldset>
  );
}
