import { expect, test } from 'vitest';
import { googleCalendarUrl } from './calendar-link.ts';

test('a calendar link has the instants in UTC and its texts encoded', () => {
  const url = new URL(
    googleCalendarUrl({
      title: 'Studio A & B',
      start: new Date('2031-04-05T14:00:00Z'),
      end: new Date('2031-04-05T17:00:00Z'),
      details: 'Booking ABCD-2345',
      location: 'Sydney NSW',
    }),
  );
  expect(url.origin).toBe('https://calendar.google.com');
  expect(url.searchParams.get('dates')).toBe('20310405T140000Z/20310405T170000Z');
  expect(url.searchParams.get('text')).toBe('Studio A & B');
});
