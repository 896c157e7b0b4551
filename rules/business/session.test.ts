import { expect, test } from 'vitest';
import { endWarning, lightsAllowed, lightsWindow } from './session.ts';
import { slotsOfSpan, slotsWithMore, toSpan } from '../slots.ts';
import { formatStudioRange, formatStudioTime } from '../studio-time.ts';

const start = new Date('2031-03-08T18:00:00+11:00');
const end = new Date('2031-03-08T20:00:00+11:00');
const session = { start, end };
const at = (minutes: number, from = end): Date => new Date(from.getTime() + minutes * 60_000);
const free = { roomInUse: false, lightsInUse: false };

test('the lights are the customer’s from 5 minutes before the session until 10 minutes after it', () => {
  expect(lightsWindow(session)).toEqual({ start: at(-5, start), end: at(10) });
  const on = [-6, -5, 0].map((minutes) => lightsAllowed(session, free, at(minutes, start)).on);
  const late = [-1, 0, 9, 10].map((minutes) => lightsAllowed(session, free, at(minutes)).off);
  expect([on, late]).toEqual([
    [false, true, true],
    [true, true, true, false],
  ]);
});

test('nobody is left in the dark, and outside the session only an empty room is switched', () => {
  const other = { roomInUse: false, lightsInUse: true };
  expect(lightsAllowed(session, other, at(-30))).toEqual({ on: true, off: false });
  const next = { roomInUse: true, lightsInUse: true };
  expect(lightsAllowed(session, next, at(-3))).toEqual({ on: true, off: false });
  expect(lightsAllowed(session, next, at(3))).toEqual({ on: false, off: false });
  expect(lightsAllowed(session, next, at(-3, start))).toEqual({ on: false, off: false });
});

test('the end is announced once and quietly, and again and louder where somebody follows', () => {
  const warnings = (followed: boolean) =>
    [-11, -10, -6, -5, -2, -0.1, 0].map((minutes) => endWarning(session, followed, at(minutes))?.minutes ?? null);
  expect(warnings(false)).toEqual([null, 10, 10, 10, 10, 10, null]);
  expect(warnings(true)).toEqual([null, 10, 10, 5, 2, 2, null]);
  expect(endWarning(session, true, at(-1))?.tone).toBe('loud');
  expect(endWarning(session, false, at(-1))?.tone).toBe('quiet');
  expect(endWarning({ start: at(-5), end }, true, at(-6))).toBeNull();
});

test('when the clocks change, minutes that pass count, and a further hour ends when the clock of Sydney says', () => {
  // 1 am to 3 am, the night the clocks go back: 2 am comes twice, so the session takes three hours.
  const back = { start: new Date('2031-04-05T14:00:00Z'), end: new Date('2031-04-05T17:00:00Z') };
  expect(formatStudioRange(back.start, back.end)).toContain('1 am to 3 am');
  expect(endWarning(back, false, new Date('2031-04-05T15:50:00Z'))).toBeNull();
  expect(endWarning(back, false, new Date('2031-04-05T16:50:00Z'))?.minutes).toBe(10);
  expect(lightsWindow(back).end).toEqual(new Date('2031-04-05T17:10:00Z'));
  const span = { start: back.start, end: new Date('2031-04-05T15:00:00Z') };
  expect(slotsOfSpan(span.start, span.end)).toHaveLength(1);
  const later = slotsWithMore(span.start, span.end, 1);
  expect(later && toSpan(later).end).toEqual(back.end);
  // 1 am to 3 am, the night they go forward: 2 am does not exist, so it takes one hour.
  const forward = { start: new Date('2031-10-04T15:00:00Z'), end: new Date('2031-10-04T16:00:00Z') };
  expect(formatStudioTime(forward.end)).toBe('3 am');
  expect(endWarning(forward, true, new Date('2031-10-04T15:50:00Z'))?.minutes).toBe(10);
});
