import { act, screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { specifiedRates } from '#tests/support/rates.ts';
import { useLocation } from '#web/router/router.tsx';
import { toast } from '#web/ui/toast.tsx';
import { renderPart, user } from '#web/ui/component-tests.ts';
import { earlyHoldOf } from '#web/data/drafts/early-hold.ts';
import { type DraftDate, drafts } from '#web/lib/drafts.ts';
import { useBookNow } from './use-book-now.ts';

const mocks = vi.hoisted(() => ({
  leaveTo: vi.fn(),
  eligibility: vi.fn(),
  createPayment: vi.fn(),
  open: vi.fn(),
  callFunction: vi.fn(),
}));
vi.mock(import('#web/lib/leave.ts'), async (original) => ({ ...(await original()), leaveTo: mocks.leaveTo }));
vi.mock('#web/data/account/eligibility.ts', () => ({ readEligibility: mocks.eligibility }));
vi.mock('#web/data/drafts/server-draft.ts', () => ({ keepServerDraft: () => Promise.resolve() }));
vi.mock('#web/data/session.tsx', () => ({ useAuthDialog: () => ({ open: mocks.open }) }));
vi.mock('#web/data/fetch-client.ts', () => ({ callFunction: mocks.callFunction }));
vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
vi.mock('./queries.ts', () => ({ createPayment: mocks.createPayment }));

const studio = { id: 'A', name: 'Studio A', rates: specifiedRates };
const slots = [{ date: '2031-03-08', hour: 18 }];
function Part({ userId = 'u', series = null }: { userId?: string | null; series?: DraftDate[] | null }) {
  const { busy, book } = useBookNow(userId, { onCouponLost: vi.fn(), lookAgain: vi.fn(), beginCheck: vi.fn() });
  return (
    <>
      <button
        type="button"
        disabled={busy}
        onClick={() => book({ studio, slots, coupon: null, wire: null, lost: null, series }, null)}
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

test('Book Now of a guest keeps the hours, and asks somebody new to sign up and everybody else to sign in; afterwards it goes on, but not with a series', async () => {
  localStorage.clear();
  const { rerender } = renderPart(<Part userId={null} />, { path: '/booking' });
  await user.click(button());
  expect(mocks.open).toHaveBeenLastCalledWith('sign-up');
  expect(drafts.selection()).toEqual({ studioId: 'A', slots, bookNow: true });
  drafts.rememberAccount();
  rerender(<Part userId={null} series={[]} />);
  await user.click(button());
  expect(mocks.open).toHaveBeenLastCalledWith('sign-in');
  expect(drafts.selection()?.bookNow).toBe(false);
  localStorage.clear();
});

test('without a verified ID Book Now asks for the hours to be held, and goes on whether they are or not', async () => {
  mocks.eligibility.mockResolvedValue({ verified: false, termsAccepted: false });
  const until = new Date(Date.now() + 600_000).toISOString();
  mocks.callFunction.mockResolvedValue({ heldUntil: until });
  const { unmount } = renderPart(<Part />, { path: '/booking' });
  await user.click(button());
  await expect.poll(path).toBe('/verify-complete');
  const span = { studioId: 'A', startTime: '2031-03-08T07:00:00.000Z', endTime: '2031-03-08T08:00:00.000Z' };
  expect(mocks.callFunction.mock.calls).toEqual([['hold-hours', span]]);
  const draft = drafts.booking();
  expect(draft && earlyHoldOf(draft)?.toISOString()).toBe(until);
  // Other hours are not held.
  expect(draft && earlyHoldOf({ ...draft, end_time: '2031-03-08T20:00:00+11:00' })).toBeNull();
  expect(draft && earlyHoldOf({ ...draft, studio_id: 'B' })).toBeNull();
  unmount();
  sessionStorage.clear();
  mocks.callFunction.mockRejectedValue(new Error('no'));
  renderPart(<Part />, { path: '/booking' });
  await user.click(button());
  await expect.poll(path).toBe('/verify-complete');
  expect(sessionStorage.getItem('typed:earlyHold')).toBeNull();
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
