import { type KeyboardEvent, useState } from 'react';
import { studioDate, studioHour } from '#rules/studio-time.ts';
import type { Cell } from './drag.ts';
import type { Entry } from './queries.ts';
import { type Column, selectHours, type Span } from './span.ts';
import { getKey } from './use-drag.ts';
import { press, type CalendarContent, type Walk, type Wish } from './walk.ts';

/** Holds the state of the keyboard in the calendar: its position, its last announcement, and the hours that it has selected or carries. */
export function useWalk(id: string, shown: CalendarContent, onWish: (wish: Wish) => void) {
  const { columns, entries } = shown;
  const [kept, setKept] = useState<Walk>(() => getStart(columns, shown.now));
  const [announcement, setAnnouncement] = useState('');
  // Other days may have fewer columns. A booking is no longer carried if its hours have changed or it is not on the days that are shown.
  const carried = kept.carried !== null && entries.some(isSame(kept.carried.entry)) ? kept.carried : null;
  const walk: Walk = { ...kept, carried, column: Math.min(kept.column, columns.length - 1) };
  const cellId = (column: number, hour: number): string => `${id}-${column}-${hour}`;
  return {
    walk,
    announcement:
      carried === kept.carried ? announcement : 'The booking was put back, because it is no longer at these hours.',
    cellId,
    ghost: getGhost(walk, shown),
    goTo({ column, hour }: Cell) {
      setKept({ column, hour, anchor: null, carried: null });
      setAnnouncement('');
    },
    onKeyDown(event: KeyboardEvent) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const done = press(walk, event.key, event.shiftKey, shown);
      if (done === null) return;
      event.preventDefault();
      setKept(done.walk);
      setAnnouncement(done.say ?? '');
      const cell = document.getElementById(cellId(done.walk.column, done.walk.hour));
      cell?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
      if (done.wish) onWish(done.wish);
    },
  };
}

/** Whether two entries are the same entry with the same hours. Each time the calendar is read, its entries are new objects. */
const isSame =
  (entry: Entry) =>
  (other: Entry): boolean =>
    getKey(other) === getKey(entry) && other.end.getTime() === entry.end.getTime();

/** Returns the initial position: on today's column at the present hour, on other days at 9 am. */
function getStart(columns: readonly Column[], now: Date): Walk {
  const today = columns.findIndex(({ date }) => date === studioDate(now));
  return { column: Math.max(today, 0), hour: today === -1 ? 9 : studioHour(now), anchor: null, carried: null };
}

function getGhost({ column, hour, anchor, carried }: Walk, { columns, entries }: CalendarContent): Span | null {
  if (carried !== null) return carried.span;
  const here = columns[column];
  return anchor === null || here === undefined ? null : selectHours(here, anchor, hour, entries);
}
