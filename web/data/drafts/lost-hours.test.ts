import { describe, expect, test } from 'vitest';
import type { Slot } from '#rules/slots.ts';
import { slotEnd, slotStart } from '#rules/studio-time.ts';
import type { Taken } from '../finding/taken.ts';
import { describeLost, dropLost } from './lost-hours.ts';

const DAY = '2026-11-21';
const NOON = new Date('2026-11-21T01:00:00Z'); // 12 noon in Sydney
const at = (hour: number, date = DAY): Slot => ({ date, hour });
function busy(from: Slot, to: Slot, status = 'confirmed', mine = false): Taken {
  return { start: slotStart(from.date, from.hour) ?? NOON, end: slotEnd(to.date, to.hour), status, mine };
}

describe('what a selection loses', () => {
  test('an hour taken in the middle leaves the longer side and is named', () => {
    const { kept, lost } = dropLost([at(18), at(19), at(20), at(21)], [busy(at(19), at(19))], NOON, 90);
    expect(kept).toEqual([at(20), at(21)]);
    expect(describeLost(lost, kept.length)).toBe(
      'Someone else has just booked 7 pm on 21 Nov. We kept the rest of your selection.',
    );
  });
  test('nothing lost, nothing changed', () => {
    expect(dropLost([at(18)], [busy(at(20), at(20))], NOON, 90)).toEqual({ kept: [at(18)], lost: [] });
  });
  test('past hours are described apart from taken hours', () => {
    const { kept, lost } = dropLost([at(11), at(12)], [busy(at(12), at(12))], NOON, 90);
    expect(describeLost(lost, kept.length)).toBe(
      'Someone else has just booked 12 pm on 21 Nov. It’s too late to book 11 am on 21 Nov. Please choose other hours.',
    );
  });
  test('hours that the customer has booked elsewhere are not said to be someone else’s', () => {
    const { kept, lost } = dropLost([at(18), at(19)], [busy(at(18), at(18), 'confirmed', true)], NOON, 90);
    expect(describeLost(lost, kept.length)).toBe(
      'You’ve already booked 6 pm on 21 Nov. We kept the rest of your selection.',
    );
  });
  test('hours that a link asked for were booked before; closed ones and those too far ahead say so', () => {
    const reasons = (taken: readonly Taken[], horizonDays: number): string =>
      describeLost(dropLost([at(18)], taken, NOON, horizonDays).lost, 0, true);
    expect(reasons([busy(at(18), at(18))], 90)).toBe(
      'Someone else has booked 6 pm on 21 Nov. Please choose other hours.',
    );
    expect(reasons([busy(at(18), at(18), 'closed')], 90)).toBe(
      'The room is closed at 6 pm on 21 Nov. Please choose other hours.',
    );
    expect(reasons([], -1)).toBe('You can’t book 6 pm on 21 Nov yet. Please choose other hours.');
  });
  test('an own unpaid hold loses nothing', () => {
    expect(dropLost([at(18)], [busy(at(18), at(18), 'pending', true)], NOON, 90).lost).toEqual([]);
  });
});
