import { expect, test } from 'vitest';
import { linkHoldEnd, moveHoldEnd, ownMoveHoldEnd } from './payment-link.ts';

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

/** A span in minutes from now. */
const span = (start: number, end: number, studioId = 'a') => ({ studioId, start: after(start), end: after(end) });
const DAY = 24 * 60;

test.each([
  ['other hours, later', span(3 * DAY, 3 * DAY + 60), span(4 * DAY, 4 * DAY + 60), DAY],
  ['other hours, soon', span(3 * DAY, 3 * DAY + 60), span(180, 240), 120],
  ['other hours of a booking that is soon', span(180, 240), span(3 * DAY, 3 * DAY + 60), 120],
  ['other hours, too soon', span(3 * DAY, 3 * DAY + 60), span(74, 134), null],
  ['the same hours in another studio', span(180, 240), span(180, 240, 'b'), 120],
  ['a later end', span(180, 240), span(180, 300), 240],
  ['a later end of a session that runs', span(-30, 30), span(-30, 90), 30],
  ['a later end of a session that is almost over', span(-46, 14), span(-46, 74), null],
  ['a later end in some days', span(3 * DAY, 3 * DAY + 60), span(3 * DAY, 3 * DAY + 120), DAY],
])('a link for %s holds them as long as it can be paid', (_what, from, to, held) => {
  expect(moveHoldEnd(from, to, NOW, 15)).toEqual(held === null ? null : after(held));
});

test.each([
  ['other hours', span(3 * DAY, 3 * DAY + 60), span(4 * DAY, 4 * DAY + 60), 15],
  ['other hours of a booking that begins soon', span(10, 70), span(4 * DAY, 4 * DAY + 60), 10],
  ['a later end of a session that runs', span(-30, 30), span(-30, 90), 15],
  ['a later end of a session that is almost over', span(-55, 5), span(-55, 65), 5],
  ['a later end at the last minute', span(-59, 1), span(-59, 61), null],
])('a customer who pays at once holds %s as long as there is time to pay', (_what, from, to, held) => {
  expect(ownMoveHoldEnd(from, to, NOW, 15)).toEqual(held === null ? null : after(held));
});
