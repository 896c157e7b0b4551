import { expect, test } from 'vitest';
import { describeDoorEvent, sinceStart, closedDoorCents, type DoorAnswer, doorStep } from './doors.ts';

const START = new Date('2031-03-12T09:00:00Z');
const minutes = (count: number): Date => new Date(START.getTime() + count * 60_000);

test('a time is told from the start of the session, in whole minutes', () => {
  expect([-4, 0, 0.4, 6, 61].map((count) => sinceStart(minutes(count), START))).toEqual([
    '4 min before the start',
    'at the start',
    'at the start',
    '6 min after the start',
    '61 min after the start',
  ]);
});

test('a report that we do not know is named as another one', () => {
  expect([describeDoorEvent('wrong_code'), describeDoorEvent('sensor')]).toEqual([
    'Wrong code entered',
    'Other report',
  ]);
});

test('closed minutes give back their share of the price in whole dollars, never more than the price', () => {
  expect(closedDoorCents(9_800, 12, 120)).toBe(1_000);
  expect(closedDoorCents(9_800, 1, 120)).toBe(100);
  expect(closedDoorCents(9_850, 120, 120)).toBe(9_850);
  expect(closedDoorCents(9_850, 500, 120)).toBe(9_850);
  expect(closedDoorCents(9_850, 0, 120)).toBe(0);
  expect(closedDoorCents(0, 12, 120)).toBe(0);
});

const works = new Date('2031-03-01T08:55:00Z');
const quiet: DoorAnswer = { online: true, hasCode: true, wrongAt: null, openedAt: null };
const now = new Date('2031-03-01T09:03:00Z');
test.each([
  ['before the code works', quiet, '2031-03-01T08:54:59Z', 'time'],
  [
    'when it opened after a wrong code',
    { ...quiet, wrongAt: '2031-03-01T09:00:00Z', openedAt: '2031-03-01T09:01:00Z' },
    null,
    'push',
  ],
  [
    'when a wrong code was entered last',
    { ...quiet, wrongAt: '2031-03-01T09:02:00Z', openedAt: '2031-03-01T09:01:00Z' },
    null,
    'digits',
  ],
  ['when the lock does not answer', { ...quiet, online: false }, null, 'ask'],
  ['when the lock has no code', { ...quiet, hasCode: false }, null, 'code'],
  ['when nothing tells', { ...quiet, online: null }, null, 'wake'],
] as const)('the first step %s', (_name, answer, at, step) => {
  expect(doorStep(answer, works, at === null ? now : new Date(at))).toBe(step);
});
