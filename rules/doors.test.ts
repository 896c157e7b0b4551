import { expect, test } from 'vitest';
import { describeDoorEvent, sinceStart } from './doors.ts';

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
