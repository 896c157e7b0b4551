import { describe, expect, it } from 'vitest';
import {
  addDays,
  dayBounds,
  formatRecordDate,
  formatRecordTime,
  formatStudioDateTime,
  formatStudioDate,
  formatStudioHours,
  formatStudioRange,
  formatStudioTime,
  isStudioDate,
  isSydneyZone,
  parseInstant,
  slotEnd,
  slotStart,
  studioDate,
  studioHour,
  getWeekday,
} from './studio-time.ts';

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

describe('Sydney time', () => {
  it('uses summer and winter offsets', () => {
    expect(iso(slotStart('2026-11-21', 19))).toBe('2026-11-21T08:00:00.000Z');
    expect(iso(slotStart('2026-07-01', 19))).toBe('2026-07-01T09:00:00.000Z');
    expect(studioDate(new Date('2026-11-21T13:30:00Z'))).toBe('2026-11-22');
    expect(studioHour(new Date('2026-11-21T13:30:00Z'))).toBe(0);
  });

  it.each(['2026-10-04', '2027-10-03'])('has no 2 AM on %s, when the clocks go forward', (date) => {
    expect(slotStart(date, 2)).toBeNull();
    expect(iso(slotEnd(date, 1))).toBe(iso(slotStart(date, 3)));
    const { start, end } = dayBounds(date);
    expect((end.getTime() - start.getTime()) / 3_600_000).toBe(23);
  });

  it.each(['2026-04-05', '2027-04-04'])(
    'uses the first of the two 2 AM hours on %s, and its slot lasts two hours',
    (date) => {
      const two = slotStart(date, 2);
      expect(iso(two)).toBe(`${addDays(date, -1)}T15:00:00.000Z`);
      expect((slotEnd(date, 2).getTime() - (two?.getTime() ?? 0)) / 3_600_000).toBe(2);
      const { start, end } = dayBounds(date);
      expect((end.getTime() - start.getTime()) / 3_600_000).toBe(25);
    },
  );

  it('agrees with the zone data of the runtime for every hour of six years', () => {
    const clock = new Intl.DateTimeFormat('en-CA', {
      timeZone: 'Australia/Sydney',
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
    });
    let differences = 0;
    for (
      let index = Date.parse('2026-01-01T00:00:00Z');
      index < Date.parse('2032-01-01T00:00:00Z');
      index += 3_600_000
    ) {
      const parts = Object.fromEntries(clock.formatToParts(index).map((part) => [part.type, part.value]));
      const instant = new Date(index);
      if (
        studioDate(instant) !== `${parts['year']}-${parts['month']}-${parts['day']}` ||
        studioHour(instant) !== Number(parts['hour'])
      )
        differences += 1;
    }
    expect(differences).toBe(0);
  });

  it('rejects days that are not in the calendar', () => {
    for (const date of ['2026-02-31', '2026-13-01', '2027-02-29', '26-01-01', '2026-1-1', ''])
      expect([date, isStudioDate(date)]).toEqual([date, false]);
    expect(isStudioDate('2028-02-29')).toBe(true);
    expect(() => slotStart('2026-02-31', 0)).toThrow(RangeError);
    expect(() => addDays('2026-04-31', 1)).toThrow(RangeError);
    expect([addDays('2026-12-31', 1), addDays('2028-03-01', -1)]).toEqual(['2027-01-01', '2028-02-29']);
  });

  it('recognises time zones whose clock differs', () => {
    expect(['Australia/Sydney', 'Australia/Melbourne'].map(isSydneyZone)).toEqual([true, true]);
    expect(['Australia/Perth', 'Australia/Brisbane', 'Europe/London', ''].map(isSydneyZone)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  it('formats days and times for people', () => {
    const start = new Date('2026-11-21T08:00:00Z');
    expect(formatStudioDate(start)).toBe('Saturday 21 November 2026');
    expect(formatStudioDate('2026-11-21', 'medium')).toBe('Sat 21 Nov 2026');
    expect(formatStudioTime(new Date('2026-11-21T07:55:00Z'))).toBe('6:55 pm');
    expect(
      ['13:00', '00:59', '01:00', '01:30'].map((at) => formatStudioTime(new Date(`2026-11-21T${at}:00Z`))),
    ).toEqual(['12 am', '11:59 am', '12 pm', '12:30 pm']);
    const brief = ['09', '13', '14'].map((hour) => formatStudioHours(start, new Date(`2026-11-21T${hour}:00:00Z`)));
    expect(brief).toEqual(['7–8\u00a0pm', '7\u00a0pm–12\u00a0am', '7\u00a0pm–1\u00a0am']);
    expect(formatStudioRange(start, new Date('2026-11-21T10:00:00Z'))).toBe('Saturday 21 November 2026, 7 pm to 9 pm');
    expect(formatStudioRange(start, new Date('2026-11-21T14:00:00Z'))).toBe(
      'Saturday 21 November 2026, 7 pm to 1 am on Sun 22 Nov 2026',
    );
    expect(formatStudioDateTime(start)).toBe('Sat 21 Nov 2026, 7 pm');
    expect(formatStudioDateTime(start, 'short')).toBe('21 Nov, 7 pm');
    expect(getWeekday('2026-11-22')).toBe(0);
  });

  it('rejects a time without a zone', () => {
    expect(parseInstant('2026-11-21T19:00:00')).toBeNull();
    expect(parseInstant('tomorrow')).toBeNull();
    expect(parseInstant('2026-02-31T19:00:00Z')).toBeNull();
    expect(parseInstant('2026-11-21T19:00:00+99:00')).toBeNull();
    expect(iso(parseInstant('2026-11-21T19:00:00+11:00'))).toBe('2026-11-21T08:00:00.000Z');
  });
});

it('tables of staff show MMM dd, yyyy and MMM dd, yyyy HH:mm:ss, in Sydney time [spec 9.30]', () => {
  expect(formatRecordDate(new Date('2026-11-04T13:30:00Z'))).toBe('Nov 05, 2026');
  expect(formatRecordDate(new Date('2026-12-31T12:59:59.999Z'))).toBe('Dec 31, 2026');
  expect(formatRecordTime(new Date('2026-11-04T13:04:09Z'))).toBe('Nov 05, 2026 00:04:09');
  expect(formatRecordTime(new Date('2026-07-01T09:59:59Z'))).toBe('Jul 01, 2026 19:59:59');
});

describe('instants as text', () => {
  it('may have fractions of a second of any length', () => {
    expect(parseInstant('2026-11-21T19:00:00.123456Z')?.toISOString()).toBe('2026-11-21T19:00:00.123Z');
    expect(parseInstant('2026-11-21T19:00Z')?.toISOString()).toBe('2026-11-21T19:00:00.000Z');
    expect(parseInstant('2026-11-21T19:00:00.Z')).toBeNull();
  });
  it('a zone is Sydney for every name of its clock', () => {
    const names = ['Canberra', 'ACT', 'NSW', 'Victoria', 'Hobart', 'Tasmania'].map((name) => `Australia/${name}`);
    expect(names.map(isSydneyZone)).toEqual(names.map(() => true));
    const createClock = (timeZone: string) =>
      new Intl.DateTimeFormat('en-AU', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
    const [sydney, clocks] = [createClock('Australia/Sydney'), names.map(createClock)];
    for (let day = 0; day < 366 * 10; day += 1) {
      const at = new Date(Date.UTC(2026, 0, 1 + day, 16, 30));
      const time = sydney.format(at);
      for (const [index, clock] of clocks.entries())
        expect([names[index], clock.format(at)]).toEqual([names[index], time]);
    }
  });
  it('names the text that is not a date', () => {
    expect(() => slotEnd('2026-02-31', 5)).toThrow('not a date: 2026-02-31');
  });
});
