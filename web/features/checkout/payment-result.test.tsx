import { act, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { renderPart } from '#web/ui/component-tests.ts';
import { AppError } from '#web/lib/errors.ts';
import { useLocation } from '#web/router/router.tsx';
import { toast } from '#web/ui/toast.tsx';
import { isUnknownPayment, PaymentNotFound, PaymentNotRead, PaymentResult } from './payment-result.tsx';
import type { PaymentState } from './queries.ts';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
const Where = () => <p data-testid="path">{useLocation().pathname}</p>;
beforeEach(() => void vi.useFakeTimers({ now: new Date('2026-11-20T00:00:00Z') }));
afterEach(() => void vi.useRealTimers());

const booking = {
  studioId: 'a',
  studioName: 'Studio A',
  startTime: new Date('2026-11-21T08:00:00Z'),
  endTime: new Date('2026-11-21T11:00:00Z'),
  totalHours: 3,
  baseCents: 20_700,
  discountCents: 2_100,
  couponCents: 9_300,
  finalCents: 9_300,
};
const pending: PaymentState = {
  paid: false,
  status: 'pending',
  payment: 'open',
  bookingId: 'b1',
  reference: 'HC-ABC123',
};
const show = (change: Partial<PaymentState>) => renderPart(<PaymentResult state={{ ...pending, ...change }} />);
const title = () => screen.getByRole('heading', { level: 1 }).textContent;
/** The rows of the list, such as "Paid: $93". */
const rows = () =>
  [...document.querySelectorAll('dt')].map((name) => `${name.textContent}: ${name.nextElementSibling?.textContent}`);

test('a confirmed booking shows its price with both discounts, when the code comes, and what is next', () => {
  show({ paid: true, status: 'confirmed', payment: 'paid', booking });
  expect(title()).toBe('Booking confirmed');
  expect(rows()).toEqual([
    'Reference: HC-ABC123',
    'Studio: Studio A',
    'When: Saturday 21 November 2026, 7 pm to 10 pm (Sydney time)',
    'Hours: 3',
    'Price: $207',
    'Volume discount: -$21',
    'Coupon: -$93',
    'Paid: $93',
  ]);
  expect(screen.getByText(/on Sat 21 Nov 2026 at 6:45 pm\./)).toBeTruthy();
  expect(screen.getByText('Arrive 10 minutes early.')).toBeTruthy();
  const links = screen.getAllByRole('link').map((link) => `${link.textContent} ${link.getAttribute('href')}`);
  expect(links).toEqual(
    expect.arrayContaining([
      'Your access code /regenerate-pin?booking_id=b1',
      'Return Home /',
      'Manage your booking /bookings/HC-ABC123',
      'Invite friends /bookings/HC-ABC123#crew',
      'Book Another Session /booking',
      'Same time next week /booking?room=a&from=2026-11-28T19&hours=3',
    ]),
  );
});

test('a booking whose code is held says how to reach us, and not when the code comes', () => {
  show({ paid: true, status: 'confirmed', payment: 'paid', change: 20, codeHeld: true, booking });
  expect(screen.getByText(/Your access code is on hold/)).toBeTruthy();
  expect(screen.queryByText(/You’ll get your access code/)).toBe(null);
  expect(screen.queryByText(/^Code /)).toBe(null);
});

test('a confirmed booking of somebody else shows only its reference', () => {
  show({ paid: true, status: 'confirmed', payment: 'paid' });
  expect(rows()).toEqual(['Reference: HC-ABC123', 'Details: Sign in to see them']);
  expect(screen.getByText(/You’ll get your access code 15 minutes before you start, or straight away/)).toBeTruthy();
});

test('a paid change says so, what was paid for it and in all, and leads to its booking', () => {
  show({ paid: true, status: 'confirmed', payment: 'paid', change: 10, booking });
  expect(title()).toBe('Booking changed');
  expect(rows().slice(-2)).toEqual(['Paid now: $10', 'Paid in all: $93']);
  expect(screen.getByRole('link', { name: 'Manage your booking' }).getAttribute('href')).toBe('/bookings/HC-ABC123');
});

test('a change whose hours were released says that the booking is as it was', () => {
  for (const [payment, reason, change] of [
    ['expired', /Nothing was charged\.$/, 10],
    ['returning', /you’ll get all of it back\.$/, 10],
    // The visitor is not signed in.
    ['expired', /Nothing was charged\.$/, null],
  ] as const) {
    const { unmount } = show({ status: 'cancelled', payment, change });
    expect(title()).toBe('Not changed');
    expect(screen.getByText(reason).textContent).toContain('your booking is as it was');
    unmount();
  }
});

test('a payment under way never offers to pay again, and says so when it takes long', () => {
  show({});
  expect(screen.getByText('Your payment is being processed. This page updates automatically.')).toBeTruthy();
  expect(screen.queryByText(/Please don’t pay again/)).toBeNull();
  act(() => void vi.advanceTimersByTime(36_000));
  expect(screen.getByText(/This is taking longer than usual\..*Please don’t pay again\./)).toBeTruthy();
  expect(screen.queryAllByRole('link')).toEqual([]);
});

test('a payment provider that does not answer is named as the reason to wait', () => {
  show({ state: 'asking' });
  expect(
    screen.getByText('We’re still waiting for the payment provider. This page updates automatically.'),
  ).toBeTruthy();
});

test('a payment that takes the bank days says that the time is held', () => {
  show({ payment: 'processing', booking });
  expect(title()).toBe('Payment processing');
  expect(screen.getByText(/We’re holding your time/)).toBeTruthy();
  expect(rows()).toContain('To pay: $93');
});

test('a cancelled booking says why, and that the money comes back', () => {
  for (const [payment, reason] of [
    ['failed', 'Your bank couldn’t complete the payment, so the time is free again. Nothing was charged.'],
    [
      'processing',
      'Your payment hadn’t arrived when your session started, so the booking is cancelled. If the money still arrives, we’ll send all of it back.',
    ],
    [
      'returned',
      'This booking was cancelled before your payment arrived. If your card was charged, you’ll get all of it back.',
    ],
  ] as const) {
    const { unmount } = show({ status: 'cancelled', payment });
    expect(title()).toBe('Not booked');
    expect(screen.getByText(reason)).toBeTruthy();
    expect(screen.getByText(/Reference HC-ABC123/)).toBeTruthy();
    unmount();
  }
});

test('an unknown payment has its own page; one that could not be read leads to the booking page, with its reference in a toast', () => {
  for (const error of [null, new AppError('not_found', 'gone', 404)]) expect(isUnknownPayment(error)).toBe(true);
  const { unmount } = renderPart(<PaymentNotFound />);
  expect(title()).toBe('Booking not found');
  unmount();
  const failed = new TypeError('Failed to fetch');
  expect(isUnknownPayment(failed)).toBe(false);
  const where = <Where />;
  renderPart(<PaymentNotRead error={failed} bookingId="3f9ab012-0000" />, { path: '/payment-success', sibling: where });
  expect(screen.getByTestId('path').textContent).toBe('/booking');
  expect(vi.mocked(toast).mock.calls).toEqual([
    [
      {
        title: 'Booking Error',
        description: 'Failed to complete booking. Please contact support. Reference 3F9AB012.',
        tone: 'bad',
        ms: 60_000,
      },
    ],
  ]);
});
