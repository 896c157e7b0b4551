import { expect, test } from 'vitest';
import { linkHoldEnd } from './payment-link.ts';

const NOW = new Date('2031-03-01T00:00:00Z');
const after = (minutes: number): Date => new Date(NOW.getTime() + minutes * 60_000);

test.each([
  ['in a week', 7 * 24 * 60, 24 * 60],
  ['in 25 hours', 25 * 60, 24 * 60],
  ['a minute sooner', 25 * 60 - 1, 24 * 60 - 1],
  ['in 75 minutes', 75, 15],
  ['a minute sooner than that', 74, null],
  ['now', 0, null],
])('a link for hours that start %s holds them for a day, or until an hour before', (_when, start, held) => {
  expect(linkHoldEnd(after(start), NOW, 15)).toEqual(held === null ? null : after(held));
});
