import { type CSSProperties, Fragment, useMemo, useRef } from 'react';
import { formatMoney } from '#rules/money.ts';
import { hourRateCents, type Rates } from '#rules/pricing.ts';
import { type Slot, slotKey, slotLabel, slotRangeLabel } from '#rules/slots.ts';
import { formatStudioDate, type StudioDate } from '#rules/studio-time.ts';
import type { SlotState } from '#web/data/finding/slot-state.ts';
import { useStable } from '#web/lib/use-stable.ts';
import { TimelineCell } from './timeline-cell.tsx';
import { cellKey } from './use-rooms-news.ts';
import { type TimelineActions, useTimelineWalk } from './use-timeline-walk.ts';

export type TimelineRoom = { readonly id: string; readonly name: string; readonly rates: Rates };

/** The hours of all rooms. With `across`, each room is a row; otherwise, as on a phone, each room is a column. */
export function TimelineGrid({
  rooms,
  date,
  hours,
  states,
  steps,
  marked,
  chosen,
  across,
  ...actions
}: TimelineActions & {
  rooms: readonly TimelineRoom[];
  date: StudioDate;
  hours: readonly Slot[];
  /** The state of each hour of each room. */
  states: readonly (readonly SlotState[])[];
  /** The prices of the day, lowest first. */
  steps: readonly number[];
  marked: ReadonlySet<string>;
  /** The room of the selection. */
  chosen: string | null;
  across: boolean;
}) {
  const grid = useRef<HTMLDivElement>(null);
  const { stop, walk, press } = useTimelineWalk(grid, { hours, states, across }, actions);
  const [onPress, onKey] = [useStable(press), useStable(walk)];
  const prices = useMemo(
    () => rooms.map(({ rates }) => hours.map((slot) => hourRateCents(slot, rates))),
    [rooms, hours],
  );
  const cell = (room: number, at: number) => {
    const [timelineRoom, slot, cents] = [rooms[room], hours[at], prices[room]?.[at] ?? 0];
    return timelineRoom === undefined || slot === undefined ? null : (
      <TimelineCell
        key={cellKey(timelineRoom.id, slot)}
        room={room}
        at={at}
        label={`${timelineRoom.name}, ${slotRangeLabel(slot.hour)}${slot.date === date ? '' : ` on ${formatStudioDate(slot.date, 'medium')}`}`}
        state={states[room]?.[at] ?? 'later'}
        price={formatMoney(cents)}
        level={steps.indexOf(cents)}
        first={prices[room]?.[at - 1] !== cents || !isShown(states[room]?.[at - 1])}
        midnight={isMidnight(slot, date)}
        marked={marked.has(cellKey(timelineRoom.id, slot))}
        across={across}
        reached={stop.room === room && stop.at === at}
        onPress={onPress}
        onKey={onKey}
      />
    );
  };
  return (
    <div
      ref={grid}
      role="grid"
      aria-label={`Hours of all rooms, ${formatStudioDate(date)}, Sydney time`}
      className={`grid gap-0.5 ${across ? '' : 'gap-x-1'}`}
      style={getColumns(across ? hours.length : rooms.length, across)}
    >
      <Headers rooms={rooms} hours={hours} date={date} chosen={chosen} across={across} />
      {across
        ? rooms.map((room, index) => (
            <div role="row" key={room.id} className="contents">
              <RoomName room={room} chosen={room.id === chosen} across />
              {hours.map((_, hour) => cell(index, hour))}
            </div>
          ))
        : hours.map((slot, index) => (
            <Fragment key={slotKey(slot)}>
              {isMidnight(slot, date) ? <NextDay date={slot.date} /> : null}
              <div role="row" className="contents">
                <HourName slot={slot} date={date} across={false} />
                {rooms.map((_, room) => cell(room, index))}
              </div>
            </Fragment>
          ))}
    </div>
  );
}

function Headers({
  rooms,
  hours,
  date,
  chosen,
  across,
}: {
  rooms: readonly TimelineRoom[];
  hours: readonly Slot[];
  date: StudioDate;
  chosen: string | null;
  across: boolean;
}) {
  return (
    <div role="row" className="contents">
      <span role="columnheader" className={across ? '' : 'sticky top-0 z-10 bg-night'}>
        <span className="sr-only">{across ? 'Room' : 'Hour'}</span>
      </span>
      {across
        ? hours.map((slot) => <HourName key={slotKey(slot)} slot={slot} date={date} across />)
        : rooms.map((room) => <RoomName key={room.id} room={room} chosen={room.id === chosen} across={false} />)}
    </div>
  );
}

const isMidnight = (slot: Slot, date: StudioDate): boolean => slot.date !== date && slot.hour === 0;
const isShown = (state: SlotState | undefined): boolean => state === 'free' || state === 'selected';

const getColumns = (count: number, across: boolean): CSSProperties => ({
  gridTemplateColumns: across
    ? `minmax(7rem, 9rem) repeat(${count}, minmax(0, 1fr))`
    : `3.25rem repeat(${count}, minmax(5.5rem, 1fr))`,
});

/** On a phone, separates the evening from the next morning. */
function NextDay({ date }: { date: StudioDate }) {
  return (
    <p aria-hidden="true" className="col-span-full mt-4 mb-1 border-t border-line pt-2 text-sm font-bold text-fog">
      Early {formatStudioDate(date).split(' ')[0]}
    </p>
  );
}

/** The number of an hour, with morning or afternoon at its first hour. */
function HourName({ slot, date, across }: { slot: Slot; date: StudioDate; across: boolean }) {
  const { hour } = slot;
  const [number, half] = slotLabel(hour).split(' ');
  const midnight = isMidnight(slot, date);
  return (
    <span
      role={across ? 'columnheader' : 'rowheader'}
      className={
        across
          ? `self-end pb-1 text-center leading-tight ${midnight ? 'ml-2' : ''} ${hour % 6 === 0 ? 'text-chalk' : 'text-fog'}`
          : 'flex items-center justify-end gap-1 pr-1.5'
      }
    >
      <span className={`font-bold tabular-nums ${across ? 'block text-sm' : 'text-sm'}`}>{number}</span>
      <span
        className={`text-[10px] font-semibold ${across ? 'block' : ''} ${midnight && across ? 'text-signal' : 'text-dust'}`}
      >
        {midnight && across ? formatStudioDate(slot.date, 'medium').slice(0, 3) : half}
      </span>
    </span>
  );
}

function RoomName({ room, chosen, across }: { room: TimelineRoom; chosen: boolean; across: boolean }) {
  return (
    <span
      role={across ? 'rowheader' : 'columnheader'}
      className={`poster flex items-center text-lg ${across ? 'pr-3 text-xl' : 'sticky top-0 z-10 justify-center border-b-2 bg-night py-2.5'} ${chosen ? 'border-signal text-signal' : 'border-line'}`}
    >
      {room.name}
    </span>
  );
}
