import { act, cleanup } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import * as connection from '#web/data/live.ts';
import { renderPart } from '#web/ui/component-tests.ts';
import * as queries from './queries.ts';
import { toast } from '#web/ui/toast.tsx';
import { usePaymentResult } from './use-payment-result.ts';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
vi.mock('#web/data/session.tsx', () => ({ useSession: () => ({ user: { id: 'me' } }) }));
vi.mock('#web/data/drafts/server-draft.ts', () => ({ dropServerDraft: vi.fn() }));
vi.mock('#web/data/live.ts', () => ({
  useLive: vi.fn(),
  pollWhile: (live: boolean, ms: number) => (live ? 60_000 : ms),
}));
vi.mock('./queries.ts', () => ({ verifyPayment: vi.fn() }));
const { useLive } = vi.mocked(connection);
const { verifyPayment } = vi.mocked(queries);

beforeEach(() => {
  vi.useFakeTimers();
  verifyPayment.mockReset();
});
afterEach(() => void vi.useRealTimers());

function Result() {
  usePaymentResult('session', 'booking');
  return null;
}
/** Returns how often the payment was asked for in this time. */
async function asked(live: boolean, state: Partial<queries.PaymentState>, seconds: number): Promise<number> {
  useLive.mockReturnValue(live);
  verifyPayment.mockResolvedValue({
    paid: false,
    status: 'pending',
    payment: 'open',
    bookingId: 'booking',
    reference: 'HC-ABC123',
    ...state,
  });
  renderPart(<Result />);
  await act(() => vi.advanceTimersByTimeAsync(seconds * 1_000));
  return verifyPayment.mock.calls.length;
}

test('a page that receives changes asks for an open payment once a minute', async () => {
  expect(await asked(true, {}, 59)).toBe(1);
  expect(useLive).toHaveBeenCalledWith('user:me', ['payment']);
});

test('without a connection it asks every two seconds', async () => {
  expect(await asked(false, {}, 9)).toBe(5);
});

test('without a connection it asks every fifteen seconds while the bank takes days', async () => {
  expect(await asked(false, { payment: 'processing' }, 31)).toBe(3);
});

test('a payment provider that has not answered is asked again every five seconds by a page that receives changes', async () => {
  expect(await asked(true, { state: 'asking' }, 11)).toBe(3);
});

test('a paid session is announced once in a tab, also when its page is loaded again', async () => {
  for (const times of [1, 2]) {
    cleanup();
    await asked(true, { status: 'confirmed', payment: 'paid', paid: true }, 1);
    expect([times, vi.mocked(toast).mock.calls]).toEqual([times, [[{ title: 'Payment Successful!' }]]]);
  }
});
