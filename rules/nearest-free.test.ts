import { describe, expect, test } from 'vitest';
import { areFree, type BusyStudio, nearestFree, type StudioHours } from './nearest-free.ts';
import { type Busy, type Slot, slotKey, toSpan, whyNotAdd } from './slots.ts';
import { addDays, slotEnd, slotStart } from './studio-time.ts';
import { constants } from './venue.ts';

const DAY = '2026-11-21';
const NOON = new Date('2026-11-20T01:00:00Z'); // Friday noon in Sydney, the day before
const at = (hour: number, date = DAY): Slot => ({ date, hour });
const busy = (from: Slot, to: Slot): Busy => ({
  start: slotStart(from.date, from.hour)!,
  end: slotEnd(to.date, to.hour),
});
const studio = (studioId: string, ...spans: readonly Busy[]): BusyStudio => ({ studioId, busy: spans });
const requested = (...slots: readonly Slot[]): StudioHours => ({ studioId: 'a', slots });
/** "a 2026-11-21T18 2": studio, first hour, number of hours. */
const named = (offers: readonly StudioHours[]): string[] =>
  offers.map(({ studioId, slots }) => `${studioId} ${slotKey(slots[0]!)} ${slots.length}`);
const ALL_DAY = busy(at(0, '2026-11-19'), at(23, '2026-11-25'));

describe('free hours instead of lost ones', () => {
  test('come from the same studio first, nearest first, then from the others', () => {
    const studios = [studio('b', busy(at(19), at(19))), studio('a', busy(at(19), at(20))), studio('c')];
    expect(named(nearestFree(requested(at(19), at(20)), studios, NOON, constants.horizonDays))).toEqual([
      'a 2026-11-21T17 2',
      'a 2026-11-21T21 2',
      'c 2026-11-21T19 2',
      'b 2026-11-21T20 2',
    ]);
  });

  test('of two equally near ones the earlier comes first', () => {
    const studios = [studio('a', busy(at(19), at(19)))];
    expect(named(nearestFree(requested(at(19)), studios, NOON, constants.horizonDays))).toEqual([
      'a 2026-11-21T18 1',
      'a 2026-11-21T20 1',
    ]);
  });

  test('may use those of the wanted hours that are still free', () => {
    const studios = [studio('a', busy(at(19), at(19)))];
    expect(named(nearestFree(requested(at(19), at(20), at(21)), studios, NOON, constants.horizonDays))).toEqual([
      'a 2026-11-21T20 3',
      'a 2026-11-21T16 3',
    ]);
  });

  test('run across midnight', () => {
    const studios = [studio('a', busy(at(19), at(22)))];
    expect(named(nearestFree(requested(at(21), at(22)), studios, NOON, constants.horizonDays))).toEqual([
      'a 2026-11-21T23 2',
      'a 2026-11-21T17 2',
    ]);
  });

  test('come from the other studios alone when the same one is full', () => {
    const studios = [studio('a', ALL_DAY), studio('b'), studio('c')];
    expect(named(nearestFree(requested(at(19)), studios, NOON, constants.horizonDays))).toEqual([
      'b 2026-11-21T19 1',
      'c 2026-11-21T19 1',
    ]);
  });

  test('are none when nothing of that length is free within a day', () => {
    expect(nearestFree(requested(at(19)), [studio('a', ALL_DAY)], NOON, constants.horizonDays)).toEqual([]);
    const gaps = [busy(at(0, '2026-11-19'), at(9)), busy(at(11), at(23, '2026-11-25'))];
    expect(nearestFree(requested(at(18), at(19)), [studio('a', ...gaps)], NOON, constants.horizonDays)).toEqual([]);
  });

  test('begin within a day of the wanted start', () => {
    const almost = [busy(at(0, '2026-11-19'), at(18, '2026-11-22'))];
    expect(named(nearestFree(requested(at(19)), [studio('a', ...almost)], NOON, constants.horizonDays))).toEqual([
      'a 2026-11-22T19 1',
    ]);
    const later = [busy(at(0, '2026-11-19'), at(19, '2026-11-22'))];
    expect(nearestFree(requested(at(19)), [studio('a', ...later)], NOON, constants.horizonDays)).toEqual([]);
  });
});

describe('limits', () => {
  test('nothing in the past is offered, nor the current hour after its thirtieth minute', () => {
    const evening = new Date('2026-11-21T08:31:00Z'); // 7:31 pm
    const studios = [studio('a', busy(at(20), at(20)))];
    expect(named(nearestFree(requested(at(20)), studios, evening, constants.horizonDays))).toEqual([
      'a 2026-11-21T21 1',
    ]);
    const earlier = new Date('2026-11-21T08:30:00Z');
    expect(named(nearestFree(requested(at(20)), studios, earlier, constants.horizonDays))).toEqual([
      'a 2026-11-21T19 1',
      'a 2026-11-21T21 1',
    ]);
  });

  test('nothing after the last day that can be booked is offered', () => {
    const last = addDays('2026-11-20', constants.horizonDays);
    const studios = [studio('a', busy(at(23, last), at(23, last)))];
    expect(named(nearestFree(requested(at(23, last)), studios, NOON, constants.horizonDays))).toEqual([
      `a ${last}T22 1`,
    ]);
  });

  test('a whole day stays a whole day and ends by the next', () => {
    const day = Array.from({ length: constants.maxHours }, (_, hour) => at(hour));
    const offers = nearestFree(requested(...day), [studio('a', busy(at(0), at(0)))], NOON, constants.horizonDays);
    expect(named(offers)).toEqual(['a 2026-11-21T01 24']);
  });

  test('no hours and too many hours get no offer', () => {
    const many = [...Array.from({ length: 24 }, (_, hour) => at(hour)), at(0, '2026-11-22')];
    expect(nearestFree(requested(), [studio('a')], NOON, constants.horizonDays)).toEqual([]);
    expect(nearestFree(requested(...many), [studio('a')], NOON, constants.horizonDays)).toEqual([]);
  });
});

describe('nights on which the clocks change', () => {
  test('the hour that is skipped is never offered, and the hours around it follow each other', () => {
    const night = '2027-10-03';
    const now = new Date('2027-10-01T00:00:00Z');
    const studios = [studio('a', busy(at(3, night), at(3, night)))];
    const offers = nearestFree(requested(at(3, night), at(4, night)), studios, now, constants.horizonDays);
    expect(named(offers)).toEqual([`a ${night}T04 2`, `a ${night}T00 2`]);
    const over = nearestFree(
      requested(at(1, night)),
      [studio('a', busy(at(1, night), at(1, night)))],
      now,
      constants.horizonDays,
    );
    expect(named(over)).toEqual([`a ${night}T00 1`, `a ${night}T03 1`]);
  });

  test('the hour that comes twice counts once', () => {
    const night = '2027-04-04';
    const now = new Date('2027-04-01T00:00:00Z');
    const studios = [studio('a', busy(at(3, night), at(3, night)))];
    const [before, after] = nearestFree(requested(at(3, night), at(4, night)), studios, now, constants.horizonDays);
    expect(named([before!, after!])).toEqual([`a ${night}T04 2`, `a ${night}T01 2`]);
    // 1 AM and the long 2 AM: three hours of the clock.
    const { start, end } = toSpan(after!.slots);
    expect(end.getTime() - start.getTime()).toBe(3 * 3_600_000);
  });
});

test('every offer is free and can be selected hour by hour', () => {
  const spans = [
    busy(at(3), at(4)),
    busy(at(9), at(11)),
    busy(at(19), at(22)),
    busy(at(2, '2026-11-22'), at(8, '2026-11-22')),
  ];
  for (let length = 1; length <= constants.maxHours; length += 1) {
    const slots = Array.from({ length }, (_, hour) => at(hour));
    for (const { slots: offered } of nearestFree(
      requested(...slots),
      [studio('a', ...spans), studio('b')],
      NOON,
      constants.horizonDays,
    )) {
      expect(offered).toHaveLength(length);
      offered.forEach((slot, index) => expect(whyNotAdd(offered.slice(0, index), slot)).toBeNull());
    }
  }
});

test('hours are free again only when all of them are', () => {
  expect(areFree([at(19), at(20)], [], NOON, constants.horizonDays)).toBe(true);
  expect(areFree([at(19), at(20)], [busy(at(20), at(20))], NOON, constants.horizonDays)).toBe(false);
  expect(areFree([at(2, '2026-10-04')], [], new Date('2026-09-30T00:00:00Z'), constants.horizonDays)).toBe(false);
});
