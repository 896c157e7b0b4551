import { act, cleanup } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import * as connection from '#web/data/live.ts';
import { waitForAccount, withAccount } from '#web/data/testing/account.tsx';
import * as wire from '#web/data/testing/wire.ts';
import { renderPart } from '#web/ui/component-tests.ts';
import type { CallAnswer } from '#web/data/fetch-client.ts';
import { toast } from '#web/ui/toast.tsx';
import { usePaymentResult } from './use-payment-result.ts';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
vi.mock('#web/data/live.ts', () => ({
  useLive: vi.fn(),
  pollWhile: (live: boolean, ms: number) => (live ? 60_000 : ms),
}));
const { useLive } = vi.mocked(connection);

const SESSION_ID = 'cs_test_1';
const BOOKING_ID = '66666666-6666-4666-8666-666666666666';
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  vi.mocked(toast).mockClear();
  wire.signIn('me');
  wire.answerRows('booking_drafts', null, 'DELETE');
});
afterEach(() => void vi.useRealTimers());

function Result() {
  usePaymentResult(SESSION_ID, BOOKING_ID);
  return null;
}
/** Returns how often the payment was requested within this time. */
async function countRequests(
  live: boolean,
  state: Partial<CallAnswer<'verify-payment'>>,
  seconds: number,
): Promise<number> {
  useLive.mockReturnValue(live);
  wire.answer('verify-payment', {
    paid: false,
    status: 'pending',
    payment: 'open',
    bookingId: BOOKING_ID,
    reference: 'HC-ABC123',
    ...state,
  });
  const { settled } = renderPart(withAccount(<Result />));
  await waitForAccount();
  await settled();
  for (let second = 0; second < seconds; second += 1) {
    await act(() => vi.advanceTimersByTimeAsync(1_000));
    await settled();
  }
  const requests = wire.sent('verify-payment');
  expect(new Set(requests.map(({ sessionId }) => sessionId))).toEqual(new Set([SESSION_ID]));
  return requests.length;
}

test('a page that receives changes asks for an open payment once a minute', async () => {
  expect(await countRequests(true, {}, 59)).toBe(1);
  expect(useLive).toHaveBeenCalledWith('user:me', ['payment']);
});

test('without a connection it asks every two seconds', async () => {
  expect(await countRequests(false, {}, 9)).toBe(5);
});

test('without a connection it asks every fifteen seconds while the bank takes days', async () => {
  expect(await countRequests(false, { payment: 'processing' }, 31)).toBe(3);
  // The customer has finished, so the draft is no longer needed.
  await wire.expectRequests('booking_drafts', 1);
});

test('a payment provider that has not answered is asked again every five seconds by a page that receives changes', async () => {
  expect(await countRequests(true, { state: 'asking' }, 11)).toBe(3);
});

test('a paid session is announced once in a tab, also when its page is loaded again', async () => {
  for (const times of [1, 2]) {
    cleanup();
    await countRequests(true, { status: 'confirmed', payment: 'paid', paid: true }, 1);
    expect([times, vi.mocked(toast).mock.calls]).toEqual([times, [[{ title: 'Payment Successful!' }]]]);
    // The hours of the draft are now booked.
    await wire.expectRequests('booking_drafts', times);
  }
  const drafts = wire.sentTo('booking_drafts', 'DELETE').map(({ search }) => search.get('user_id'));
  expect(drafts).toEqual(['eq.me', 'eq.me']);
});
