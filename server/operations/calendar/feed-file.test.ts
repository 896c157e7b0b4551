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

test('the file names its studio and business, and each entry has its hours in UTC, its state and the reason of a closure', () => {
  const file = writeFeed(
    {
      studioName: 'Studio A',
      bookings: [{ id: 'b', ...hours, reference: 'ABCD-2345', firstName: 'Sam', moves: 1 }],
      closures: [{ id: 'c', startTime: '2031-03-09T00:00:00Z', endTime: '2031-03-09T04:00:00Z', reason: 'Paint' }],
    },
    'Studios',
  );
  expect(file.split('\r\n')).toEqual([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Studios//calendar//EN',
    'METHOD:PUBLISH',
    'NAME:Studio A, Studios',
    'X-WR-CALNAME:Studio A, Studios',
    'REFRESH-INTERVAL;VALUE=DURATION:PT15M',
    'X-PUBLISHED-TTL:PT15M',
    'BEGIN:VEVENT',
    'UID:b@bookings',
    'SEQUENCE:1',
    'DTSTAMP:20310308T000000Z',
    'DTSTART:20310308T000000Z',
    'DTEND:20310308T020000Z',
    'SUMMARY:Sam\\, ABCD-2345',
    'STATUS:CONFIRMED',
    'END:VEVENT',
    'BEGIN:VEVENT',
    'UID:c-1930780800000@closures',
    'SEQUENCE:0',
    'DTSTAMP:20310309T000000Z',
    'DTSTART:20310309T000000Z',
    'DTEND:20310309T040000Z',
    'SUMMARY:Closed: Paint',
    'STATUS:CONFIRMED',
    'END:VEVENT',
    'END:VCALENDAR',
  ]);
});
