import { expect, test } from 'vitest';
import { bookingQuery, readBookingQuery, runFrom } from './booking-link.ts';

const read = (query: string) => readBookingQuery(new URLSearchParams(query));

test('a link to hours is read back, also over midnight and over the hour that the clocks skip', () => {
  for (const [date, hour] of [
    ['2026-12-05', 22],
    ['2026-10-04', 1],
  ] as const) {
    const hours = { studioId: 'room', slots: runFrom({ date, hour }, 4) };
    expect(read(bookingQuery(hours))).toEqual(hours);
  }
  expect(runFrom({ date: '2026-10-04', hour: 1 }, 2)[1]).toEqual({ date: '2026-10-04', hour: 3 });
  expect(read(bookingQuery({ studioId: 'room', slots: [] }))).toEqual({ studioId: 'room', slots: [] });
});

test.each(['', 'room=', 'from=2026-12-05T22'])('"%s" names no room', (query) => expect(read(query)).toBeNull());

test.each([
  'from=2026-10-04T02',
  'from=2026-12-05T24',
  'from=2026-02-30T10',
  'from=x',
  'from=2026-12-05T10&hours=25',
  'from=2026-12-05T10&hours=0',
])('%s chooses only the room', (query) => expect(read(`room=a&${query}`)).toEqual({ studioId: 'a', slots: [] }));
