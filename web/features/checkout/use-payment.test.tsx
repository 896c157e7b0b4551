import { act, screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { queryKeys } from '#web/data/query-keys.ts';
import { pressTwice, renderPart, user } from '#web/ui/component-tests.ts';
import { answerCall, delayServer, expectOneCall, sentRequests } from '#web/ui/testing/delayed-server.ts';
import { watchReads } from '#web/ui/testing/watched-reads.ts';
import { usePayment } from './use-payment.ts';

const leaveTo = vi.hoisted(() => vi.fn());
vi.mock('#web/lib/leave.ts', () => ({ leaveTo }));

const draft = {
  studio_id: 'A',
  studio_name: 'Studio A',
  total_hours: 2,
  start_time: '2031-03-08T07:00:00Z',
  end_time: '2031-03-08T09:00:00Z',
} as Parameters<typeof usePayment>[0]['draft'];
const customer = { customerName: 'Alex Citizen', customerEmail: 'alex@example.com', customerPhone: '+61491570006' };
const quote = { baseCents: 17_000, discountCents: 1_700, couponDiscountCents: 1_500 };
const ignore = (): void => {};
function Pay() {
  const payment = usePayment({
    draft,
    userId: 'u',
    fullCents: 13_800,
    termsVersion: null,
    onEligibilityLost: ignore,
    onTermsChanged: ignore,
  });
  const attempt = { customer, shownCents: 13_800, quote, coupon: { wire: '', refuse: ignore } };
  return (
    <>
      <button type="button" disabled={payment.busy} onClick={() => void payment.start(attempt).catch(ignore)}>
        Pay
      </button>
      <p role="status">{payment.problem?.text}</p>
    </>
  );
}
const button = () => screen.getByRole<HTMLButtonElement>('button');
beforeEach(() => {
  vi.resetAllMocks();
  delayServer();
});

test('a payment is sent once, and stays busy until the browser has left for the pay page or came back', async () => {
  const reads = await watchReads(renderPart(<Pay />).client, queryKeys);
  await pressTwice(button());
  expect(await expectOneCall('create-payment')).toMatchObject({
    amount: 138,
    metadata: { studioId: 'A', subtotal: 170, discount: 17, couponDiscount: 15 },
  });
  expect(button().disabled).toBe(true);
  answerCall('create-payment', { url: 'https://pay.example', bookingId: 'b1', total: 138 });
  await expect.poll(() => reads.take()).toEqual(['availability']);
  expect(leaveTo.mock.calls).toEqual([['https://pay.example']]);
  expect(button().disabled).toBe(true);
  reads.answer();
  await act(() => new Promise((drawn) => setTimeout(drawn, 50)));
  expect(button().disabled).toBe(true);
  act(() => void window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true })));
  await expect.poll(() => button().disabled).toBe(false);
  expect(sentRequests()).toEqual([]);
});

test('hours that were taken meanwhile are read again, and the payment can be sent again', async () => {
  const reads = await watchReads(renderPart(<Pay />).client, queryKeys);
  await user.click(button());
  await expectOneCall('create-payment');
  answerCall('create-payment', { error: { code: 'slot_taken', message: 'Those hours are taken.' } }, 409);
  expect(await screen.findByText('Those hours are taken.')).toBeTruthy();
  expect(reads.take()).toEqual(['availability']);
  expect(button().disabled).toBe(false);
});
