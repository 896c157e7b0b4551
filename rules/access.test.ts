import { describe, expect, it } from 'vitest';
import { accessTimes, regenerateLimits } from './access.ts';
import { cancellationTerms } from './cancellation.ts';
import { slotEnd, slotStart } from './studio-time.ts';

const BRIDGE = { granularityMinutes: 1, endEnforced: true };
const HOURLY = { granularityMinutes: 60, endEnforced: true };
const start = new Date('2026-11-21T08:00:00Z');
const end = new Date('2026-11-21T10:00:00Z');
const minutes = (count: number): Date => new Date(start.getTime() + count * 60_000);
const times = (change: Partial<Parameters<typeof accessTimes>[0]> = {}) =>
  accessTimes({ start, end, bookedAt: minutes(-2_880), roomFreeBefore: true, capabilities: BRIDGE, ...change });

describe('door codes', () => {
  it('are asked for an hour before, shown a quarter of an hour before, and work five minutes before', () => {
    expect(times()).toEqual({
      requestAt: minutes(-60),
      releaseAt: minutes(-15),
      worksFrom: minutes(-5),
      worksUntil: end,
    });
  });
  it('come at once when the start is within the hour', () => {
    expect(times({ bookedAt: minutes(-60) })).toMatchObject({ requestAt: minutes(-60), releaseAt: minutes(-60) });
    expect(times({ bookedAt: minutes(-61) })).toMatchObject({ releaseAt: minutes(-15) });
    expect(times({ bookedAt: minutes(10) })).toMatchObject({ requestAt: minutes(10), releaseAt: minutes(10) });
  });
  it('do not work early while somebody else has the room, nor with a lock that only knows whole hours', () => {
    expect(times({ roomFreeBefore: false }).worksFrom).toEqual(start);
    expect(times({ capabilities: HOURLY }).worksFrom).toEqual(start);
  });
  it('tell the truth of a lock that does not end them', () => {
    expect(times({ capabilities: { granularityMinutes: 60, endEnforced: false } }).worksUntil).toEqual(
      minutes(24 * 60),
    );
  });
  it('keep to instants on the days the clocks change', () => {
    const autumn = { start: slotStart('2026-04-05', 2) ?? start, end: slotEnd('2026-04-05', 2) };
    expect(times({ ...autumn, bookedAt: new Date('2026-04-01T00:00:00Z') })).toMatchObject({
      worksFrom: new Date('2026-04-04T14:55:00Z'),
      worksUntil: new Date('2026-04-04T17:00:00Z'),
    });
    const spring = { start: slotStart('2026-10-04', 3) ?? start, end: slotEnd('2026-10-04', 3) };
    expect(times({ ...spring, bookedAt: new Date('2026-10-01T00:00:00Z') }).releaseAt).toEqual(
      new Date('2026-10-03T15:45:00Z'),
    );
  });
  it('are limited by what the lock can give', () => {
    expect(regenerateLimits('bridge')).toEqual({ codesPerBooking: 20, secondsBetweenCodes: 30 });
    expect(regenerateLimits('hourly').codesPerBooking).toBe(3);
  });
});

describe('cancelling', () => {
  it('is free until 24 elapsed hours before, also over a change of clocks', () => {
    expect(cancellationTerms(start, minutes(-1440)).refund).toBe('full');
    expect(cancellationTerms(start, minutes(-1439)).allowed).toBe(false);
    const spring = new Date('2026-10-04T02:00:00Z');
    expect(cancellationTerms(spring, new Date('2026-10-03T02:00:00Z')).allowed).toBe(true);
  });
});
