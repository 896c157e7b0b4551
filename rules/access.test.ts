import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  accessTimes,
  codeStart,
  mailIsImmediate,
  regenerateLimits,
  testMailSchedule,
  testPinWindow,
} from './access.ts';
import { slotEnd, slotStart } from './studio-time.ts';

const BRIDGE = { granularityMinutes: 1, endEnforced: true };
const HOURLY = { granularityMinutes: 60, endEnforced: true };
const start = new Date('2026-11-21T08:00:00Z');
const end = new Date('2026-11-21T10:00:00Z');
const minutes = (count: number): Date => new Date(start.getTime() + count * 60_000);
const times = (change: Partial<Parameters<typeof accessTimes>[0]> = {}) =>
  accessTimes({ start, end, bookedAt: minutes(-2_880), studioFreeBefore: true, capabilities: BRIDGE, ...change });

describe('access codes', () => {
  it('are requested 60, shown 15 and work 5 minutes before the start [spec 1.3, 9.18]', () => {
    expect(times()).toEqual({
      requestAt: minutes(-60),
      releaseAt: minutes(-15),
      worksFrom: minutes(-5),
      worksUntil: end,
    });
  });
  it('are released at once when the start is within the hour [spec 9.17]', () => {
    expect(times({ bookedAt: minutes(-60) })).toMatchObject({ requestAt: minutes(-60), releaseAt: minutes(-60) });
    expect(times({ bookedAt: minutes(-61) })).toMatchObject({ releaseAt: minutes(-15) });
    expect(times({ bookedAt: minutes(10) })).toMatchObject({ requestAt: minutes(10), releaseAt: minutes(10) });
  });
  it('do not work early while the studio is taken, or with a lock that only handles whole hours [spec 9.18]', () => {
    expect(times({ studioFreeBefore: false }).worksFrom).toEqual(start);
    expect(times({ capabilities: HOURLY }).worksFrom).toEqual(start);
  });
  it('work for 24 hours on a lock that does not end them', () => {
    expect(times({ capabilities: { granularityMinutes: 60, endEnforced: false } }).worksUntil).toEqual(
      minutes(24 * 60),
    );
  });
  it('count elapsed minutes on the days the clocks change', () => {
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
  it('work only from five minutes before the session to its end, and are never shown before they are requested', () => {
    const days = fc.constantFrom('2026-04-05', '2026-10-04', '2026-11-21', '2027-04-04', '2027-10-03');
    const hours = fc.integer({ min: 0, max: 23 });
    // From ten days before the start to half an hour after it.
    const ahead = fc.integer({ min: -30, max: 14_400 });
    fc.assert(
      fc.property(days, hours, ahead, fc.boolean(), fc.constantFrom(1, 5, 15, 60), (date, hour, before, free, step) => {
        const from = slotStart(date, hour);
        fc.pre(from !== null);
        const until = slotEnd(date, hour);
        const bookedAt = new Date(from.getTime() - before * 60_000);
        const result = accessTimes({
          start: from,
          end: until,
          bookedAt,
          studioFreeBefore: free,
          capabilities: { granularityMinutes: step, endEnforced: true },
        });
        const early = (from.getTime() - result.worksFrom.getTime()) / 60_000;
        expect(early).toBe(free && step <= 5 ? 5 : 0);
        expect(result.worksUntil).toEqual(until);
        expect(result.requestAt >= bookedAt && result.releaseAt >= bookedAt).toBe(true);
        expect(result.requestAt <= result.releaseAt).toBe(true);
        if (before > 60) {
          expect((from.getTime() - result.requestAt.getTime()) / 60_000).toBe(60);
          expect((from.getTime() - result.releaseAt.getTime()) / 60_000).toBe(15);
        } else expect([result.requestAt, result.releaseAt]).toEqual([bookedAt, bookedAt]);
      }),
    );
  });

  it('are emailed at once up to exactly an hour before the start [spec 9.17]', () => {
    expect(mailIsImmediate(start, minutes(-60))).toBe(true);
    expect(mailIsImmediate(start, new Date(minutes(-60).getTime() - 1))).toBe(false);
    expect(mailIsImmediate(start, minutes(5))).toBe(true);
  });

  it('are limited in number by the lock', () => {
    expect(regenerateLimits({ codesPerWindow: 20 })).toEqual({ codesPerBooking: 20, secondsBetweenCodes: 30 });
    expect(regenerateLimits({ codesPerWindow: 3 }).codesPerBooking).toBe(3);
    expect(regenerateLimits({ codesPerWindow: 5 }).codesPerBooking).toBe(5);
  });
});

describe('test codes and mails', () => {
  it('a test PIN is valid until the next 7 pm in Sydney [spec 9.22]', () => {
    // At 2:30 pm: until 7 pm. At 6:30 pm: until 7 pm tomorrow.
    expect(testPinWindow(new Date('2026-11-21T03:30:00Z'))).toEqual({
      startsAt: new Date('2026-11-21T03:00:00Z'),
      endsAt: new Date('2026-11-21T08:00:00Z'),
    });
    expect(testPinWindow(new Date('2026-11-21T07:30:00Z')).endsAt).toEqual(new Date('2026-11-22T08:00:00Z'));
    expect(testPinWindow(new Date('2026-11-21T08:30:00Z')).endsAt).toEqual(new Date('2026-11-22T08:00:00Z'));
  });

  it('the mail of a test booking is sent at once within 15 minutes of the start, else 15 minutes before it [spec 9.17]', () => {
    expect(testMailSchedule(start, minutes(-5))).toEqual({ status: 'pending_immediate', at: minutes(-5) });
    expect(testMailSchedule(start, minutes(-15))).toEqual({ status: 'pending_immediate', at: minutes(-15) });
    expect(testMailSchedule(start, minutes(-30))).toEqual({ status: 'pending', at: minutes(-15) });
    expect(testMailSchedule(start, minutes(-120))).toEqual({ status: 'pending', at: minutes(-15) });
  });
});

describe('test codes', () => {
  it('end at 7 pm Sydney time, or 7 pm tomorrow when less than an hour is left', () => {
    expect(testPinWindow(new Date('2026-11-21T07:00:00Z')).endsAt.toISOString()).toBe('2026-11-21T08:00:00.000Z');
    expect(testPinWindow(new Date('2026-11-21T07:00:01Z')).endsAt.toISOString()).toBe('2026-11-22T08:00:00.000Z');
    expect(testPinWindow(new Date('2026-11-21T07:30:00Z')).startsAt.toISOString()).toBe('2026-11-21T07:00:00.000Z');
  });
});

it('a code begins with its hours, or with the current hour when they have begun earlier', () => {
  const at = (time: string): Date => new Date(`2031-05-02T${time}:00Z`);
  expect(codeStart(at('03:50'), at('02:10'))).toEqual(at('03:50'));
  expect(codeStart(at('01:50'), at('02:10'))).toEqual(at('02:00'));
  expect(codeStart(at('02:05'), at('02:10'))).toEqual(at('02:05'));
});
