import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { useWaitlist } from '#web/data/finding/waitlist.ts';
import { EXAMPLE_OWN_ROW } from '#web/data/testing/example-booking.ts';
import * as wire from '#web/data/testing/wire.ts';
import { renderPart } from '#web/ui/component-tests.ts';
import { OwnBookings } from './own-bookings.tsx';

vi.mock('#web/data/live.ts', () => ({ useLive: () => true, pollWhile: () => false }));

/** Shows the state of the wait list. Both parts follow the same query, so they render together. */
function WaitlistState() {
  return <p>The wait list: {useWaitlist('u').status}</p>;
}
/** Renders the list, and waits until it has its bookings and the wait list has this state. */
async function show(state: 'pending' | 'success' | 'error'): Promise<void> {
  renderPart(<OwnBookings userId="u" />, { sibling: <WaitlistState /> });
  await screen.findByText(`The wait list: ${state}`);
  await waitFor(() => expect(screen.queryByText('Loading your bookings')).toBeNull());
}
const answerWaitlist = (...ends: readonly Date[]): void =>
  wire.answerRows(
    'waitlist_entries',
    ends.map((end, index) => ({
      id: String(index),
      studio_id: 'a',
      start_time: '2031-03-08T07:00:00+00:00',
      end_time: '2031-03-08T08:00:00+00:00',
      state: 'asked',
      claim_until: end,
      user_id: 'u',
      studios: { name: 'Studio A' },
    })),
  );
const holdWaitlist = (): void => {
  answerWaitlist();
  wire.pause('waitlist_entries');
};

beforeEach(() => {
  wire.answerRows('own_bookings', []);
  wire.answerRows('waiting_moves', []);
});

test.each([
  ['while the wait list is read', holdWaitlist, 'pending', false],
  ['while hours are held for the customer', () => answerWaitlist(new Date(Date.now() + 600_000)), 'success', false],
  ['after the hold has ended', () => answerWaitlist(new Date(0)), 'success', true],
  ['when nothing is waited for', () => answerWaitlist(), 'success', true],
  ['when the wait list cannot be read', () => wire.fail('waitlist_entries', 500), 'error', true],
] as const)('%s the list says "No bookings yet": only if nothing can be held', async (_when, answer, state, isSaid) => {
  answer();
  await show(state);
  expect(screen.queryByText('No bookings yet') !== null).toBe(isSaid);
});

test('a series is listed with its place, what is refunded of a cancelled booking, and new hours that wait for a payment', async () => {
  const ahead = { order_id: 'b', order_size: 3 };
  wire.answerRows('own_bookings', [
    {
      ...EXAMPLE_OWN_ROW,
      id: 'c',
      reference: 'CCCC-2345',
      start_time: '2031-03-15T07:00:00Z',
      end_time: '2031-03-15T09:00:00Z',
      order_place: 2,
      final_cost: 100.5,
      ...ahead,
    },
    { ...EXAMPLE_OWN_ROW, order_place: 1, ...ahead },
    { ...EXAMPLE_OWN_ROW, id: 'd', reference: 'DDDD-2345', status: 'cancelled' },
  ]);
  wire.answerRows('booking_payments', [
    { booking_id: 'c', state: 'paid', refunded: 0 },
    { booking_id: 'd', state: 'refunded', refunded: 19.99 },
  ]);
  const hours = { start_time: '2031-03-22T07:00:00Z', end_time: '2031-03-22T09:00:00Z' };
  wire.answerRows('waiting_moves', [
    { booking_id: 'c', studio_name: 'Studio B', ...hours, cents: 1_500, until: '2031-03-14T08:00:00Z' },
  ]);
  answerWaitlist();
  await show('success');
  const words = (reference: string) => screen.getByText(reference).closest('article, li')?.textContent;
  expect(words('ABCD-2345')).toContain('Reference ABCD-2345, $69, 1 of 3 in a series');
  expect(words('CCCC-2345')).toContain(
    'Saturday 15 March 2031, 6 pm to 8 pmReference CCCC-2345, $100.50, 2 of 3 in a series',
  );
  expect(words('CCCC-2345')).toContain(
    'Moves to Studio B, Saturday 22 March 2031, 6 pm to 8 pm, when you’ve paid $15. We hold those hours until 7 pm on Fri 14 Mar 2031.',
  );
  expect(words('DDDD-2345')).toContain('Sat 8 Mar 2031, Studio A (cancelled, $19.99 refunded)');
});

test('an unpaid series is one card with the price of all its dates', async () => {
  const soon = new Date(Date.now() + 600_000).toISOString();
  const hold = { ...EXAMPLE_OWN_ROW, status: 'pending', hold_expires_at: soon, order_id: 'b', order_size: 2 };
  wire.answerRows('own_bookings', [
    { ...hold, id: 'c', reference: 'CCCC-2345', order_place: 2, final_cost: 49.5 },
    { ...hold, order_place: 1, coupon_code: 'DANCE' },
  ]);
  wire.answerRows('booking_payments', []);
  answerWaitlist();
  await show('success');
  const card = screen.getByText('ABCD-2345').closest('article')?.textContent;
  expect(card).toContain('Saturday 8 March 2031, 6 pm to 7 pm and 1 more dates');
  expect(card).toContain('$118.50 with your code DANCE');
  expect(screen.queryByText('CCCC-2345')).toBeNull();
});
