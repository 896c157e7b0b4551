import { act, screen } from '@testing-library/react';
import type { ReactElement } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import { specifiedRates } from '#tests/support/rates.ts';
import { useLocation } from '#web/router/router.tsx';
import { toast } from '#web/ui/toast.tsx';
import { renderPart, user } from '#web/ui/component-tests.ts';
import { openAuthDialog, withAccount } from '#web/data/testing/account.tsx';
import * as wire from '#web/data/testing/wire.ts';
import { getEarlyHoldEnd } from '#web/data/drafts/early-hold.ts';
import { type DraftDate, drafts } from '#web/lib/drafts.ts';
import { useBookNow } from './use-book-now.ts';

const leaveTo = vi.hoisted(() => vi.fn());
vi.mock(import('#web/lib/leave.ts'), async (original) => ({ ...(await original()), leaveTo }));
vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));

const STUDIO_ID = '55555555-5555-4555-8555-555555555555';
const studio = { id: STUDIO_ID, name: 'Studio A', rates: specifiedRates };
const slots = [{ date: '2031-03-08', hour: 18 }];
const span = { studioId: STUDIO_ID, startTime: '2031-03-08T07:00:00.000Z', endTime: '2031-03-08T08:00:00.000Z' };
const TERMS = '2026-11-01';
const customer = { full_name: 'Alex Citizen', email: 'alex@example.com', phone: '+61491570006', address: null };
const payment = {
  url: 'https://pay.example',
  bookingId: '66666666-6666-4666-8666-666666666666',
  reference: 'HC-ABC123',
  total: 69,
};
function Part({ userId = 'u', series = null }: { userId?: string | null; series?: DraftDate[] | null }) {
  const { busy, book } = useBookNow(userId, { onCouponLost: vi.fn(), lookAgain: vi.fn(), beginCheck: vi.fn() });
  return (
    <button
      type="button"
      disabled={busy}
      onClick={() => book({ studio, slots, coupon: null, wire: null, lost: null, series }, null)}
    >
      Book Now
    </button>
  );
}
const Address = () => <p data-testid="address">{useLocation().pathname}</p>;
function show(part = <Part />) {
  const { rerender, ...page } = renderPart(withAccount(part), { path: '/booking', sibling: <Address /> });
  return { ...page, rerender: (next: ReactElement) => rerender(withAccount(next)) };
}
/** From now on, the customer has a verified ID and has accepted the terms, or not. */
function setEligibility(verified: boolean, termsAccepted: boolean): void {
  wire.answerRows('user_verifications', verified ? [{ id: 'v' }] : []);
  wire.answerRows('terms_acceptances', [{ version: termsAccepted ? TERMS : '2020-01-01' }]);
}
const button = () => screen.getByRole<HTMLButtonElement>('button');
const path = () => screen.getByTestId('address').textContent;
beforeEach(() => {
  vi.resetAllMocks();
  wire.answerRows('site_settings', { termsVersion: TERMS });
  wire.answerRows('booking_drafts', null, 'POST');
  wire.answerRows('profiles', [customer]);
  wire.answer('create-payment', payment);
});

test('Book Now works again on a page that stays although it led elsewhere, as after Back before the next page was shown', async () => {
  setEligibility(true, false);
  show();
  await user.click(button());
  await expect.poll(path).toBe('/checkout');
  expect(button().disabled).toBe(false);
  expect(wire.sent('create-payment')).toEqual([]);
  // The draft is stored on the server, so that another tab can continue.
  const [draft] = wire.sentTo('booking_drafts', 'POST');
  expect(draft?.body).toMatchObject({ data: { studio_id: STUDIO_ID, final_cost: 69 } });
});

test('Book Now stays busy while the browser leaves for the pay page, and works again when that page does not load', async () => {
  setEligibility(true, true);
  show();
  await user.click(button());
  await expect.poll(() => leaveTo.mock.calls).toEqual([['https://pay.example']]);
  expect(wire.sent('create-payment')).toEqual([
    {
      bookingData: expect.objectContaining({ studio_id: STUDIO_ID, final_cost: 69, coupon_code: null }),
      customerData: customer,
    },
  ]);
  await act(() => new Promise((drawn) => setTimeout(drawn, 50)));
  expect(button().disabled).toBe(true);
  act(() => void window.dispatchEvent(new Event('still-here')));
  await expect.poll(() => button().disabled).toBe(false);
});

test('Book Now of a guest keeps the hours, and asks somebody new to sign up and everybody else to sign in; afterwards it goes on, but not with a series', async () => {
  localStorage.clear();
  const { rerender } = show(<Part userId={null} />);
  await user.click(button());
  expect(openAuthDialog()).toBe('sign-up');
  expect(drafts.selection()).toEqual({ studioId: STUDIO_ID, slots, bookNow: true });
  drafts.rememberAccount();
  rerender(<Part userId={null} series={[]} />);
  await user.click(button());
  expect(openAuthDialog()).toBe('sign-in');
  expect(drafts.selection()?.bookNow).toBe(false);
  localStorage.clear();
});

test('without a verified ID Book Now asks for the hours to be held, and goes on whether they are or not', async () => {
  setEligibility(false, false);
  const until = new Date(Date.now() + 600_000).toISOString();
  wire.answer('hold-hours', { heldUntil: until });
  const { unmount } = show();
  await user.click(button());
  await expect.poll(path).toBe('/verify-complete');
  expect(wire.sent('hold-hours')).toEqual([span]);
  const draft = drafts.booking();
  expect(draft && getEarlyHoldEnd(draft)?.toISOString()).toBe(until);
  // Other hours are not held.
  expect(draft && getEarlyHoldEnd({ ...draft, end_time: '2031-03-08T20:00:00+11:00' })).toBeNull();
  expect(draft && getEarlyHoldEnd({ ...draft, studio_id: 'B' })).toBeNull();
  unmount();
  sessionStorage.clear();
  wire.fail('hold-hours', 0);
  show();
  await user.click(button());
  await expect.poll(path).toBe('/verify-complete');
  expect(wire.sent('hold-hours')).toEqual([span, span]);
  expect(sessionStorage.getItem('typed:earlyHold')).toBeNull();
});

test('a visitor who has left the page meanwhile is not called to the next one', async () => {
  setEligibility(true, false);
  const release = wire.pause('user_verifications');
  const { rerender, client } = show();
  await user.click(button());
  await wire.expectRequests('user_verifications', 1);
  rerender(<p>elsewhere</p>);
  release();
  await act(() => expect.poll(() => client.isMutating()).toBe(0));
  expect(path()).toBe('/booking');
});

test('a payment that cannot start says so in the words of the specification, and can be tried again [spec 8.25]', async () => {
  const description = 'Failed to process payment. Please try again.';
  const expected = [{ title: 'Payment Error', description, tone: 'bad' }];
  wire.answerRows('terms_acceptances', []);
  wire.fail('user_verifications', 500, '{"no": "words"}');
  show();
  await user.click(button());
  await expect.poll(() => vi.mocked(toast).mock.calls).toEqual([expected]);
  expect(button().disabled).toBe(false);
  setEligibility(true, true);
  wire.fail('create-payment', 500, '{"no": "words"}');
  await user.click(button());
  await expect.poll(() => vi.mocked(toast).mock.calls).toEqual([expected, expected]);
  expect(button().disabled).toBe(false);
});
