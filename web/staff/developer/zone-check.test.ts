import { expect, it } from 'vitest';
import { clocksAt, compareZones, oddDays } from './zone-check.ts';

it('our rules and the runtime agree on Sydney time for two years', () => {
  expect(compareZones(new Date('2026-01-01T00:00:00Z'), 730)).toEqual({ hours: 17_520, differences: [] });
});

it('the two days of a year without 24 hours are found', () => {
  expect(oddDays('2026-11-21')).toEqual([
    { date: '2027-04-04', hours: 25 },
    { date: '2027-10-03', hours: 23 },
  ]);
});

it('an instant is shown in UTC, Sydney and the browser’s zone', () => {
  const reads = clocksAt(new Date('2026-11-21T08:00:00Z'), 'Australia/Perth').map((clock) => clock.reads);
  expect(reads[0]).toBe('2026-11-21T08:00:00.000Z');
  expect(reads[1]).toBe('2026-11-21, 7 pm');
  expect(reads[3]).toContain('4:00:00');
});
