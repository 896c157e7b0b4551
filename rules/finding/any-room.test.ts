import { describe, expect, test } from 'vitest';
import { specifiedRates } from '#tests/support/rates.ts';
import { slotEnd, slotStart } from '../studio-time.ts';
import { cheapestTonight, findOffers, LOOK_DAYS, nextFree, type PricedRoom, type RoomSearch } from './any-room.ts';
import { weekLater } from './week-later.ts';

/** Friday, 20 November 2026, 3 pm in Sydney. */
const NOW = new Date('2026-11-20T04:00:00Z');
const busy = (from: string, hour: number, to: string, last: number) => ({
  start: slotStart(from, hour) ?? NOW,
  end: slotEnd(to, last),
});
const room = (studioId: string, ...taken: PricedRoom['busy']): PricedRoom => ({
  studioId,
  busy: taken,
  rates: specifiedRates,
});
const WEEK = busy('2026-11-20', 0, '2026-11-28', 23);
const request = (more: Partial<RoomSearch> = {}): RoomSearch => ({ hours: 2, part: 'any', maxCents: null, ...more });
const offers = (what: RoomSearch, ...rooms: readonly PricedRoom[]) =>
  findOffers(what, rooms, NOW, 90).map(({ studioId, slots, totalCents, reason, savesPercent }) => [
    studioId,
    `${slots[0]?.date} ${slots[0]?.hour}`,
    totalCents / 100,
    reason,
    savesPercent,
  ]);

describe('offers in any room', () => {
  test('the soonest, the cheapest and the cheapest on another day, each for its reason', () => {
    expect(offers(request(), room('a'), room('b'))).toEqual([
      ['a', '2026-11-20 15', 118, 'cheapest-today', 0],
      ['b', '2026-11-23 8', 98, 'cheapest', 0],
      ['a', '2026-11-24 8', 98, 'another-day', 0],
    ]);
  });

  test('an evening is dearer today than the cheapest one, and three hours save 10 %', () => {
    const taken = busy('2026-11-20', 15, '2026-11-20', 17);
    expect(offers(request({ hours: 3, part: 'evening' }), room('a', taken))).toEqual([
      ['a', '2026-11-20 18', 186, 'cheapest-today', 10],
      ['a', '2026-11-23 17', 150, 'cheapest', 10],
      ['a', '2026-11-24 17', 150, 'another-day', 10],
    ]);
    expect(offers(request({ part: 'evening' }), room('a'))[0]).toEqual([
      'a',
      '2026-11-20 17',
      128,
      'cheapest-today',
      0,
    ]);
    expect(offers(request({ part: 'night' }), room('a'))[0]).toEqual(['a', '2026-11-20 22', 138, 'cheapest-today', 0]);
    // Midnight on Saturday costs $69, 2 AM $59: the soonest night is not the cheapest of the day.
    expect(offers(request({ part: 'evening', maxCents: 100_00 }), room('a'))).toEqual([]);
  });

  test('another room is offered for the same hours, a price limit leaves dear ones out, and none when all is taken', () => {
    expect(offers(request(), room('a', WEEK), room('b')).map(([id]) => id)).toEqual(['b', 'b', 'b']);
    expect(offers(request({ maxCents: 98_00 }), room('a')).map(([, at]) => at)).toEqual([
      '2026-11-23 0',
      '2026-11-24 8',
      '2026-11-25 8',
    ]);
    expect(offers(request(), room('a', WEEK))).toEqual([]);
    expect(LOOK_DAYS).toBe(7);
  });
});

test('rooms take turns among equal offers, and the emptier room comes first; the small hours come last unless they are near', () => {
  const taken = busy('2026-11-26', 10, '2026-11-26', 11);
  expect(offers(request(), room('a', taken), room('b')).map(([id]) => id)).toEqual(['b', 'a', 'b']);
  // At 2 am, the next hours start soon, so they are not ranked last.
  const night = new Date('2026-11-23T15:00:00Z');
  const first = findOffers(request(), [room('a')], night, 90).map(({ slots }) => `${slots[0]?.date} ${slots[0]?.hour}`);
  expect(first).toEqual(['2026-11-24 2', '2026-11-25 8', '2026-11-26 8']);
  // It is early on Sunday and nothing is free from Monday on. Of the cheaper hours, 3 am comes next.
  const sunday = new Date('2026-11-21T14:10:00Z');
  const only = room('a', busy('2026-11-23', 0, '2026-11-30', 23));
  const cheaper = findOffers(request({ hours: 1 }), [only], sunday, 90).map(({ slots }) => slots[0]?.hour);
  expect(cheaper).toEqual([1, 3]);
});

test('the first free hour of a day is that of the first room that has it, with its price, and none after 24 hours', () => {
  // Saturday, 7.10 pm in Sydney.
  const now = new Date('2026-11-21T08:10:00Z');
  const next = (...rooms: readonly PricedRoom[]): string => {
    const found = nextFree(rooms, now, 90);
    return found === null ? 'none' : `${found.studioId} ${found.slot.date} ${found.slot.hour} ${found.cents}`;
  };
  expect(next(room('a'), room('b'))).toBe('a 2026-11-21 19 6900');
  expect(next(room('a', busy('2026-11-21', 18, '2026-11-21', 20)), room('b'))).toBe('b 2026-11-21 19 6900');
  expect(next(room('a', busy('2026-11-21', 18, '2026-11-22', 9)))).toBe('a 2026-11-22 10 5900');
  expect(next(room('a', busy('2026-11-21', 18, '2026-11-22', 18)))).toBe('none');
  expect(next()).toBe('none');
});

test('the cheapest hour tonight is a free one between 5 pm and 5 am, the earliest of equally cheap ones', () => {
  const tonight = (now: Date, ...rooms: readonly PricedRoom[]): string => {
    const found = cheapestTonight(rooms, now, 90);
    return found === null ? 'none' : `${found.studioId} ${found.slot.date} ${found.slot.hour} ${found.cents}`;
  };
  expect(tonight(NOW, room('a'), room('b'))).toBe('a 2026-11-20 17 5900');
  expect(tonight(NOW, room('a', busy('2026-11-20', 17, '2026-11-20', 17)), room('b'))).toBe('b 2026-11-20 17 5900');
  expect(tonight(NOW, room('a', busy('2026-11-20', 17, '2026-11-21', 4)))).toBe('none');
  expect(
    tonight(NOW, room('a', busy('2026-11-20', 17, '2026-11-20', 17), busy('2026-11-21', 2, '2026-11-21', 4))),
  ).toBe('a 2026-11-20 18 6900');
  // At 4:40 am the night is over: the next hour that can be booked starts at 5 am.
  expect(tonight(new Date('2026-11-19T17:40:00Z'), room('a'))).toBe('none');
});

test('the same time a week later keeps the clock, and skips weeks that are over or booked already', () => {
  const friday = [
    { date: '2026-11-20', hour: 23 },
    { date: '2026-11-21', hour: 0 },
  ];
  expect(weekLater(friday, NOW)).toEqual([
    { date: '2026-11-27', hour: 23 },
    { date: '2026-11-28', hour: 0 },
  ]);
  expect(weekLater(friday, new Date('2026-12-11T04:00:00Z'))[0]).toEqual({ date: '2026-12-18', hour: 23 });
  expect(weekLater([{ date: '2026-09-27', hour: 2 }], new Date('2026-09-28T04:00:00Z'))).toEqual([
    { date: '2026-10-04', hour: 3 },
  ]);
  expect(weekLater([], NOW)).toEqual([]);
  const own = ['2026-11-27', '2026-12-04'].map((date) => busy(date, 22, date, 23));
  expect(weekLater(friday, NOW, own)[0]).toEqual({ date: '2026-12-11', hour: 23 });
});
