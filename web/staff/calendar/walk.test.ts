import { expect, test } from 'vitest';
import type { Entry } from './queries.ts';
import type { Column } from './span.ts';
import { describeCell, press, type Pressed, type CalendarContent, type Walk } from './walk.ts';

const DAY = '2031-03-03';
const COLUMNS: Column[] = ['A', 'B'].map((name) => ({ studioId: name, studioName: `Studio ${name}`, date: DAY }));
const at = (hour: number): Date => new Date(Date.parse(`${DAY}T00:00:00+11:00`) + hour * 3_600_000);
const entry = (kind: Entry['kind'], from: number, to: number, studioId = 'A'): Entry => ({
  kind,
  id: `${kind}${from}`,
  studioId,
  start: at(from),
  end: at(to),
  label: kind === 'closure' ? 'Cleaning' : 'Sam',
  reference: kind === 'closure' ? null : 'HC-1',
  email: null,
  isTest: false,
  isPublic: false,
  weeks: 1,
});
const booking = entry('booking', 10, 12);
const ENTRIES = [
  booking,
  entry('hold', 14, 15),
  entry('closure', 16, 18),
  entry('booking', 11, 12, 'B'),
  entry('booking', 20, 22),
];
const shown = (now = at(0)): CalendarContent => ({ columns: COLUMNS, entries: ENTRIES, now });
const walk = (hour: number, column = 0): Walk => ({ column, hour, anchor: null, carried: null });

/** Presses keys one after another; a leading + holds Shift. Returns the result of the last key and the position of the keyboard. */
function type(from: Walk, keys: string, what = shown()): Pressed {
  let done: Pressed = { walk: from };
  for (const key of keys.split(' ')) {
    const shift = key.startsWith('+');
    done = press(done.walk, NAMES[shift ? key.slice(1) : key] ?? key, shift, what) ?? { walk: done.walk };
  }
  return done;
}
const NAMES: Readonly<Record<string, string>> = {
  up: 'ArrowUp',
  down: 'ArrowDown',
  left: 'ArrowLeft',
  right: 'ArrowRight',
  space: ' ',
};
const placed = ({ walk: { column, hour } }: Pressed): string => `${column} ${hour}`;

test('arrow keys, Home and End walk over the cells and stop at the edges; the page keys ask for other days', () => {
  expect(placed(type(walk(9), 'up up down right right'))).toBe('1 8');
  expect(placed(type(walk(9, 1), 'left left Home up'))).toBe('0 0');
  expect(placed(type(walk(9), 'End down'))).toBe('0 23');
  expect(type(walk(9), 'PageDown').wish).toEqual({ kind: 'page', by: 1 });
  expect(type(walk(9), 'PageUp').wish).toEqual({ kind: 'page', by: -1 });
  expect(press(walk(9), 'a', false, shown())).toBeNull();
});

test('Shift and arrows select free hours, Enter asks to create them, and taken hours end the selection', () => {
  const three = { studioId: 'A', first: { date: DAY, hour: 7 }, hours: 3 };
  expect(type(walk(7), '+down +down').say).toBe('Selected: Studio A, Mon 3 Mar 2031, 7 am to 10 am.');
  expect(type(walk(7), '+down +down Enter').wish).toEqual({ kind: 'create', span: three });
  expect(type(walk(9), '+up +up Enter').wish).toEqual({ kind: 'create', span: three });
  const blocked = type(walk(7), '+down +down +down');
  expect([blocked.say, blocked.walk.hour]).toEqual(['The next hour is not free.', 9]);
  expect(type(walk(13), '+up +up').say).toBe('The next hour is not free.');
});

test('a plain arrow and Escape end a selection', () => {
  expect(type(walk(7), '+down down').walk.anchor).toBeNull();
  expect(type(walk(7), '+down Escape')).toMatchObject({ walk: { anchor: null }, say: 'Selection cleared.' });
  expect(type(walk(7), 'space').wish).toMatchObject({ kind: 'create', span: { hours: 1 } });
});

test('Enter picks up a booking, arrows move it, Shift changes its end, and Enter drops it', () => {
  const picked = type(walk(11), 'Enter');
  expect(picked.say).toMatch(/^Picked up Sam, Studio A, Mon 3 Mar 2031, 10 am to 12 pm\. Arrow keys move it/);
  expect(type(walk(11), 'Enter up').say).toBe('Studio A, Mon 3 Mar 2031, 9 am to 11 am.');
  expect(type(walk(11), 'Enter right').say).toBe('Studio B, Mon 3 Mar 2031, 10 am to 12 pm. In the way: Sam.');
  const blocked = type(walk(11), 'Enter right Enter');
  expect(blocked.say).toBe('It cannot be dropped here, because Sam is in the way.');
  expect(blocked.walk.carried).not.toBeNull();
  expect(type(walk(11), 'Enter right up +up Enter')).toMatchObject({
    walk: { carried: null },
    wish: { kind: 'move', entry: booking, span: { studioId: 'B', first: { date: DAY, hour: 9 }, hours: 1 } },
  });
});

test('a booking that is dropped where it was, or given up, stays', () => {
  for (const keys of ['Enter Enter', 'Enter down up Enter', 'Enter down Escape']) {
    const done = type(walk(10), keys);
    expect([done.say, done.wish, done.walk.carried]).toEqual(['The booking was not moved.', undefined, null]);
  }
});

test('a booking stays on the day that is shown', () => {
  expect(type(walk(20), 'Enter down down down down').say).toBe('It cannot move further.');
  expect(type(walk(20), 'Enter down down down').say).toMatch(/11 pm to 1 am the next day/);
  expect(type(walk(10), 'Enter left').say).toBe('It cannot move further.');
});

test('a session that has begun can only end later, and one that is over stays', () => {
  const running = shown(at(11));
  expect(type(walk(10), 'Enter down', running).say).toBe('It cannot move further.');
  expect(type(walk(10), 'Enter +up', running).say).toBe('It cannot move further.');
  expect(type(walk(10), 'Enter +down Enter', running).wish).toMatchObject({ kind: 'move', span: { hours: 3 } });
  expect(type(walk(10), 'Enter', shown(at(12))).say).toBe('This session is over. Press Space to open it.');
});

test('holds are not moved; Space opens bookings and holds, and Enter closed hours', () => {
  expect(type(walk(14), 'Enter').say).toBe('An unpaid booking cannot be moved. Press Space to open it.');
  expect(type(walk(14), 'space').wish).toMatchObject({ kind: 'open', entry: { kind: 'hold' } });
  expect(type(walk(10), 'space').wish).toMatchObject({ kind: 'open', entry: booking });
  expect(type(walk(17), 'Enter').wish).toMatchObject({ kind: 'open', entry: { kind: 'closure' } });
});

test('a cell says what it holds', () => {
  const say = (hour: number, column = COLUMNS[0] as Column): string =>
    describeCell(column, hour, ENTRIES).split('2031, ')[1] ?? '';
  expect([9, 11, 14, 17].map((hour) => say(hour))).toEqual([
    '9 AM: free',
    '11 AM: Sam, 10 am to 12 pm',
    '2 PM: held for Sam, 2 pm to 3 pm',
    '5 PM: closed 4 pm to 6 pm, Cleaning',
  ]);
  expect(describeCell({ studioId: 'A', studioName: 'Studio A', date: '2026-10-04' }, 2, [])).toMatch(
    /the clocks skip this hour$/,
  );
});
