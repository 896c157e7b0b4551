import { describe, expect, test } from 'vitest';
import { describeRoom } from './room-now.ts';
import type { Busy } from '../slots.ts';
import { slotStart } from '../studio-time.ts';

const DAY = '2026-11-21';
const at = (hour: number, minute = 0, date = DAY): Date => new Date(slotStart(date, hour)!.getTime() + minute * 60_000);
const span = (from: Date, to: Date): Busy => ({ start: from, end: to });

describe('a room now', () => {
  test('is free until its next booking, or for a day', () => {
    expect(describeRoom([span(at(21), at(23))], at(19, 10))).toEqual({ state: 'free', until: at(21) });
    expect(describeRoom([], at(19, 30))).toEqual({ state: 'free', until: null });
  });

  test('is free from the next hour when this one can no longer be booked', () => {
    expect(describeRoom([], at(19, 31))).toEqual({ state: 'later', from: at(20) });
    expect(describeRoom([span(at(20), at(22))], at(19, 31))).toEqual({ state: 'later', from: at(22) });
  });

  test('is busy until the last of the bookings that follow each other', () => {
    const evening = [span(at(18), at(20)), span(at(20), at(21)), span(at(22), at(23))];
    expect(describeRoom(evening, at(19, 5))).toEqual({ state: 'busy', until: at(21) });
    expect(describeRoom(evening, at(20, 45))).toEqual({ state: 'busy', until: at(21) });
  });

  test('is busy across midnight', () => {
    const night = [span(at(22), at(3, 0, '2026-11-22'))];
    expect(describeRoom(night, at(23, 50))).toEqual({ state: 'busy', until: at(3, 0, '2026-11-22') });
  });

  test('is busy for at least a day when nothing is free before', () => {
    expect(describeRoom([span(at(0), at(0, 0, '2026-11-24'))], at(9))).toEqual({ state: 'busy', until: null });
  });

  test('follows the clocks: 3 am comes after 1 am in October, and 2 am is one long hour in April', () => {
    const october = describeRoom([span(at(1, 0, '2026-10-04'), at(3, 0, '2026-10-04'))], at(1, 10, '2026-10-04'));
    expect(october).toEqual({ state: 'busy', until: at(3, 0, '2026-10-04') });
    const second = new Date(at(2, 0, '2027-04-04').getTime() + 70 * 60_000); // the second 2:10
    expect(describeRoom([], second)).toEqual({ state: 'later', from: at(3, 0, '2027-04-04') });
  });
});
