import { describe, expect, test } from 'vitest';
import type { Slot } from '#rules/slots.ts';
import { dayBounds, slotEnd, slotStart } from '#rules/studio-time.ts';
import { dropLost } from '../drafts/lost-hours.ts';
import type { Taken } from './taken.ts';
import { slotState } from './slot-state.ts';

const DAY = '2026-11-21';
const NOON = new Date('2026-11-21T01:00:00Z'); // 12 noon in Sydney
const at = (hour: number, date = DAY): Slot => ({ date, hour });
function busy(from: Slot, to: Slot, status = 'confirmed', mine = false): Taken {
  return { start: slotStart(from.date, from.hour) ?? NOON, end: slotEnd(to.date, to.hour), status, mine };
}

describe('the state of an hour', () => {
  test('free, selected, taken, being paid for and past are different states', () => {
    const taken = [busy(at(18), at(18)), busy(at(19), at(19), 'pending')];
    expect(slotState(at(17), [], taken, NOON, 90)).toBe('free');
    expect(slotState(at(17), [at(17)], taken, NOON, 90)).toBe('selected');
    expect(slotState(at(18), [], taken, NOON, 90)).toBe('taken');
    expect(slotState(at(19), [], taken, NOON, 90)).toBe('paying');
    expect(slotState(at(11), [], taken, NOON, 90)).toBe('past');
  });
  test('an unknown status blocks the hour', () => {
    expect(slotState(at(18), [], [busy(at(18), at(18), 'something-new')], NOON, 90)).toBe('taken');
  });
  test('an own unpaid hold does not block; an own paid booking does, and reads as own', () => {
    expect(slotState(at(18), [], [busy(at(18), at(18), 'pending', true)], NOON, 90)).toBe('free');
    expect(slotState(at(18), [], [busy(at(18), at(18), 'confirmed', true)], NOON, 90)).toBe('yours');
  });
  test('own hours with a processing payment are blocked and shown as processing', () => {
    const held = { ...busy(at(18), at(18), 'pending', true), processing: true };
    expect(slotState(at(18), [at(18)], [held], NOON, 90)).toBe('processing');
    expect(dropLost([at(18)], [held], NOON, 90).kept).toEqual([]);
  });
  test('a selected hour that another customer took is shown as taken', () => {
    expect(slotState(at(18), [at(18)], [busy(at(18), at(18))], NOON, 90)).toBe('taken');
  });
  test('in October 2 AM is skipped, a booking from 10 PM shows on the next morning', () => {
    expect(slotState(at(2, '2027-10-03'), [], [], new Date('2027-09-20T00:00:00Z'), 90)).toBe('skipped');
    const night = [busy(at(22, '2026-11-20'), at(1, '2026-11-21'))];
    const before = dayBounds('2026-11-20').start;
    expect(slotState(at(1, '2026-11-21'), [], night, before, 90)).toBe('taken');
    expect(slotState(at(2, '2026-11-21'), [], night, before, 90)).toBe('free');
  });
});
