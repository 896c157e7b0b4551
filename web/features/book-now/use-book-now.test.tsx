import { act, screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { specifiedRates } from '#tests/support/rates.ts';
import { useLocation } from '#web/router/router.tsx';
import { toast } from '#web/ui/toast.tsx';
import { renderPart, user } from '#web/ui/component-tests.ts';
import { useBookNow } from './use-book-now.ts';

const mocks = vi.hoisted(() => ({ leaveTo: vi.fn(), eligibility: vi.fn(), createPayment: vi.fn() }));
vi.mock(import('#web/lib/leave.ts'), async (original) => ({ ...(await original()), leaveTo: mocks.leaveTo }));
vi.mock('#web/data/account/eligibility.ts', () => ({ readEligibility: mocks.eligibility }));
vi.mock('#web/data/drafts/server-draft.ts', () => ({ keepServerDraft: () => Promise.resolve() }));
vi.mock('#web/data/session.tsx', () => ({ useAuthDialog: () => ({ open: vi.fn() }) }));
vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
vi.mock('./queries.ts', () => ({ createPayment: mocks.createPayment }));

const studio = { id: 'A', name: 'Studio A', rates: specifiedRates };
const slots = [{ date: '2031-03-08', hour: 18 }];
function Part() {
  const { busy, book } = useBookNow('u', { onCouponLost: vi.fn(), lookAgain: vi.fn(), beginCheck: vi.fn() });
  return (
    <>
      <button
        type="button"
        disabled={busy}
        onClick={() => book({ studio, slots, coupon: null, wire: null, lost: null, series: null }, null)}
      >
        Book Now
      </button>
      <p role="status">{useLocation().pathname}</p>
    </>
  );
}
const button = () => screen.getByRole<HTMLButtonElement>('button');
const path = () => screen.getByRole('status').textContent;
beforeEach(() => {
  vi.resetAllMocks();
});

test('Book Now works again on a page that stays although it led elsewhere, as after Back before the next page was shown', async () => {
  mocks.eligibility.mockResolvedValue({ verified: true, termsAccepted: false });
  renderPart(<Part />, { path: '/booking' });
  await user.click(button());
  await expect.poll(path).toBe('/checkout');
  expect(button().disabled).toBe(false);
});

test('Book Now stays busy while the browser leaves for the pay page, and works again when that page does not load', async () => {
  mocks.eligibility.mockResolvedValue({ verified: true, termsAccepted: true });
  mocks.createPayment.mockResolvedValue({ url: 'https://pay.example' });
  renderPart(<Part />, { path: '/booking' });
  await user.click(button());
  await expect.poll(() => mocks.leaveTo.mock.calls).toEqual([['https://pay.example']]);
  await act(() => new Promise((drawn) => setTimeout(drawn, 50)));
  expect(button().disabled).toBe(true);
  act(() => void window.dispatchEvent(new Event('still-here')));
  await expect.poll(() => button().disabled).toBe(false);
});

test('a visitor who has left the page meanwhile is not called to the next one', async () => {
  const { promise, resolve } = Promise.withResolvers();
  mocks.eligibility.mockReturnValue(promise);
  const { rerender } = renderPart(<Part />, { path: '/booking' });
  await user.click(button());
  rerender(<p role="status">{'elsewhere'}</p>);
  await act(async () => resolve({ verified: true, termsAccepted: false }));
  expect(path()).toBe('elsewhere');
});

test('a payment that cannot start says so in the words of the specification, and can be tried again', async () => {
  mocks.eligibility.mockRejectedValue(new TypeError('Failed to fetch'));
  renderPart(<Part />, { path: '/booking' });
  await user.click(button());
  const description = 'Failed to process payment. Please try again.';
  await expect
    .poll(() => vi.mocked(toast).mock.calls)
    .toEqual([[{ title: 'Payment Error', description, tone: 'bad' }]]);
  expect(button().disabled).toBe(false);
});
