import { expect, test } from 'vitest';
import { writeFeed } from './feed-file.ts';

const hours = { startTime: '2031-03-08T00:00:00Z', endTime: '2031-03-08T02:00:00Z' };
const write = (moves: number, firstName: string | null): string =>
  writeFeed(
    {
      studioName: 'Studio A',
      bookings: [{ id: 'b', ...hours, reference: 'ABCD-2345', firstName, moves }],
      closures: [],
    },
    'Studios',
  );

test('a booking that moved is a later version of the same entry, so calendar programs replace it', () => {
  expect(write(0, 'Sam')).toMatch(/UID:b@bookings[^]*SEQUENCE:0/);
  expect(write(2, 'Sam')).toMatch(/UID:b@bookings[^]*SEQUENCE:2/);
});

test('a booking without a name is shown by its reference', () => {
  expect(write(0, 'Sam')).toContain('SUMMARY:Sam\\, ABCD-2345');
  expect(write(0, null)).toContain('SUMMARY:ABCD-2345');
});
