import { expect, test } from 'vitest';
import type { BookingFacts } from '../core/booking-rows.ts';
import { moveProblem, type Place, termsStartAfter } from './movable.ts';

const [START, END] = ['2031-03-08T00:00:00Z', '2031-03-08T02:00:00Z'];
// Contains only the fields that the rule reads.
const booking = {
  status: 'confirmed',
  studioId: 'a',
  startTime: new Date(START),
  endTime: new Date(END),
} as BookingFacts;
const to = (startTime: string, endTime: string, studioId = 'a'): Place => ({
  studioId,
  startTime: new Date(startTime),
  endTime: new Date(endTime),
});
const LATER = to('2031-03-09T00:00:00Z', '2031-03-09T02:00:00Z', 'b');
const LONGER = to(START, '2031-03-08T03:00:00Z');
const DURING = '2031-03-08T00:40:00Z';

test.each([
  ['before its start to any hours', '2031-03-07T23:59:59Z', LATER, undefined],
  ['from its start on to a later end', START, LONGER, undefined],
  ['from its start on to the same hours', DURING, to(START, END), undefined],
  ['from its start on not to other hours', START, to('2031-03-08T01:00:00Z', '2031-03-08T04:00:00Z'), 'too_late'],
  ['from its start on not to an earlier end', DURING, to(START, '2031-03-08T01:00:00Z'), 'too_late'],
  ['from its start on not to another studio', DURING, { ...LONGER, studioId: 'b' }, 'too_late'],
  ['until a moment before its end', '2031-03-08T01:59:59Z', LONGER, undefined],
  ['not at its end', END, LONGER, 'too_late'],
] as const)('a confirmed booking moves %s', (_, now, place, code) => {
  expect(moveProblem(booking, place, new Date(now))?.code).toBe(code);
});

test.each([
  [
    'pending',
    '2031-03-01T00:00:00Z',
    'not_confirmed',
    'This booking hasn’t been paid yet. Cancel it and make another one.',
  ],
  ['cancelled', '2031-03-01T00:00:00Z', 'already_done', 'This booking is cancelled.'],
  ['confirmed', END, 'too_late', 'This booking has ended.'],
  ['confirmed', START, 'too_late', 'This session has started. You can only extend it.'],
] as const)('a %s booking does not move at %s: %s, %s', (status, now, code, message) => {
  expect(moveProblem({ ...booking, status }, LATER, new Date(now))).toMatchObject({ code, message });
});

const day = (at: string) => new Date(`2031-03-${at}T00:00:00Z`);
test.each([
  // The customer chooses other hours, and with them new terms.
  ['a customer moves it later', LATER, true, day('05'), LATER.startTime],
  ['a customer moves it to another studio', { ...LONGER, studioId: 'b' }, true, day('05'), LONGER.startTime],
  ['a customer only extends it', LONGER, true, day('05'), day('05')],
  ['a customer makes it no longer', to(START, END), true, day('05'), booking.startTime],
  ['staff move it later', LATER, false, day('08'), day('08')],
  ['staff move it earlier', to('2031-03-07T00:00:00Z', END), false, day('08'), day('07')],
] as const)('when %s, the terms refer to the right start', (_what, place, byCustomer, termsStart, expected) => {
  expect(termsStartAfter({ ...booking, termsStart }, place, byCustomer)).toEqual(expected);
});
