import { expect, test } from 'vitest';
import { EXAMPLE_OWN_BOOKING } from '#web/data/testing/example-booking.ts';
import { findFavourites } from './favourites.ts';

/** Friday, 20 November 2026, 3 pm in Sydney. */
const NOW = new Date('2026-11-20T04:00:00Z');
const booking = (start: string, end: string) => ({
  ...EXAMPLE_OWN_BOOKING,
  startTime: new Date(start),
  endTime: new Date(end),
});
const at = (date: string, hour: number) => ({ studioId: 'a', slots: [{ date, hour }] });
const FRIDAY_7 = booking('2026-11-20T08:00:00Z', '2026-11-20T09:00:00Z');

test('the last choice comes first while it is to come, then the same time a week after the latest bookings [spec 10.3]', () => {
  expect(findFavourites({ last: at('2026-11-22', 9), bookings: [FRIDAY_7] }, NOW)).toEqual([
    { ...at('2026-11-22', 9), booked: false },
    { ...at('2026-11-27', 19), booked: true },
  ]);
});

test('a choice of the past moves to a week to come; equal ones, cancelled bookings and more than three are left out', () => {
  const more = [1, 2, 3, 4].map((hour) => booking(`2026-11-19T0${hour}:00:00Z`, `2026-11-19T0${hour + 1}:00:00Z`));
  const over = booking('2026-11-19T09:00:00Z', '2026-11-19T10:00:00Z');
  const cancelled = { ...over, status: 'cancelled' as const };
  expect(
    findFavourites({ last: at('2026-11-13', 19), bookings: [cancelled, FRIDAY_7, ...more] }, NOW).map(
      ({ slots }) => slots[0],
    ),
  ).toEqual([
    { date: '2026-11-27', hour: 19 },
    { date: '2026-11-26', hour: 12 },
    { date: '2026-11-26', hour: 13 },
  ]);
  expect(findFavourites({ last: null, bookings: [] }, NOW)).toEqual([]);
});

test('hours that are booked already are not offered: the last choice once it is paid, and the next dates of a series [spec 10.3]', () => {
  const series = ['2026-11-27', '2026-12-04'].map((day) => booking(`${day}T08:00:00Z`, `${day}T09:00:00Z`));
  expect(findFavourites({ last: at('2026-11-20', 19), bookings: [...series, FRIDAY_7] }, NOW)).toEqual([
    { ...at('2026-12-11', 19), booked: true },
  ]);
  const elsewhere = { ...at('2026-11-27', 19), studioId: 'b' };
  expect(findFavourites({ last: elsewhere, bookings: series }, NOW)[0]).toEqual({ ...elsewhere, booked: false });
});
