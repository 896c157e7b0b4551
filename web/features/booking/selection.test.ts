import { describe, expect, test } from 'vitest';
import type { Slot } from '#rules/slots.ts';
import { dayBounds, slotEnd, slotStart } from '#rules/studio-time.ts';
import { constants } from '#rules/venue.ts';
import type { Taken } from '#web/data/finding/taken.ts';
import { afterPress, daysToRead, extendSelection, isFull } from './selection.ts';

const DAY = '2026-11-21';
const NOON = new Date('2026-11-21T01:00:00Z'); // 12 noon in Sydney
const at = (hour: number, date = DAY): Slot => ({ date, hour });
function busy(from: Slot, to: Slot, status = 'confirmed', mine = false): Taken {
  return { start: slotStart(from.date, from.hour) ?? NOON, end: slotEnd(to.date, to.hour), status, mine };
}

test('a day is full once nothing of it is free: taken, being paid for or past', () => {
  const rest = [busy(at(12), at(20)), busy(at(21), at(22), 'pending')];
  expect(isFull(DAY, rest, NOON, 90)).toBe(false);
  expect(isFull(DAY, [...rest, busy(at(23), at(23))], NOON, 90)).toBe(true);
  expect(isFull(DAY, [busy(at(12), at(23), 'pending', true)], NOON, 90)).toBe(false);
  expect(isFull(DAY, [], dayBounds('2026-11-22').start, 90)).toBe(true);
});

test('the days read reach from the start of the selection to the day after the chosen one', () => {
  expect(daysToRead([], DAY)).toEqual({ from: DAY, to: '2026-11-22' });
  expect(daysToRead([at(22), at(23)], '2026-11-22')).toEqual({ from: DAY, to: '2026-11-23' });
  expect(daysToRead([at(0, '2026-11-22')], DAY)).toEqual({ from: DAY, to: '2026-11-22' });
});

test('a press adds an hour beside the selection, removes one, starts again across a gap, and adds none to a full session', () => {
  expect(afterPress([at(9)], at(10))).toEqual([at(9), at(10)]);
  expect(afterPress([at(9), at(10)], at(9))).toEqual([at(10)]);
  expect(afterPress([at(9)], at(12))).toEqual([at(12)]);
  const full = Array.from({ length: constants.maxHours }, (_, hour) => at(hour));
  expect(afterPress(full, at(0, '2026-11-22'))).toEqual(full);
});

describe('shift with an arrow', () => {
  const open = (): boolean => true;
  test('extends hour by hour, a row at a time, and backwards', () => {
    expect(extendSelection([at(18)], at(18), at(19), open)).toEqual([at(18), at(19)]);
    expect(extendSelection([at(12)], at(12), at(15), open)).toHaveLength(4);
    expect(extendSelection([at(18)], at(18), at(16), open)).toEqual([at(16), at(17), at(18)]);
  });
  test('starts a selection at the focused hour', () => {
    expect(extendSelection([], at(18), at(19), open)).toEqual([at(18), at(19)]);
  });
  test('stops before a taken hour', () => {
    expect(extendSelection([at(18)], at(18), at(21), (slot) => slot.hour !== 20)).toEqual([at(18), at(19)]);
  });
  test('removes hours on the way back', () => {
    expect(extendSelection([at(18), at(19), at(20)], at(20), at(19), open)).toEqual([at(18), at(19)]);
  });
  test('skips the hour that does not exist in October', () => {
    const day = '2027-10-03';
    expect(extendSelection([at(1, day)], at(1, day), at(3, day), open)).toEqual([at(1, day), at(3, day)]);
  });
  test('leads across midnight and back', () => {
    const late = [at(22), at(23)];
    const early = at(0, '2026-11-22');
    expect(extendSelection(late, at(23), early, open)).toEqual([...late, early]);
    expect(extendSelection([...late, early], early, at(23), open)).toEqual(late);
    expect(extendSelection(late, at(23), at(0, '2026-11-23'), open)).toEqual(late);
  });
  test('changes nothing far from the selection', () => {
    expect(extendSelection([at(9)], at(18), at(19), open)).toEqual([at(9)]);
  });
});
