import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { toast } from '#web/ui/toast.tsx';
import { CancelForm } from './cancel-form.tsx';
import { MarkPaidStep } from './hold-steps.tsx';
import type * as queries from './queries.ts';
import * as wire from '#web/data/testing/wire.ts';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
beforeEach(() => void vi.resetAllMocks());

/** Creates an unpaid booking with a payment link, the first of a series of three. */
const booking = (more: Partial<queries.BookingDetails>): queries.BookingDetails => ({
  id: '55555555-5555-4555-8555-555555555555',
  reference: 'ABCD-2345',
  studioId: 'a',
  studioName: 'Studio A',
  startTime: new Date('2031-03-08T07:00:00Z'),
  endTime: new Date('2031-03-08T08:00:00Z'),
  status: 'pending',
  cancelReason: null,
  holdExpiresAt: new Date('2031-03-02T00:00:00Z'),
  createdAt: new Date('2031-03-01T00:00:00Z'),
  confirmedAt: null,
  cancelledAt: null,
  notes: null,
  freeCancelHours: 24,
  termsStart: new Date('2031-03-08T07:00:00Z'),
  totalHours: 1,
  baseCents: 5_900,
  discountCents: 0,
  couponCode: null,
  couponCents: 0,
  waivedCents: 0,
  owedCents: 0,
  finalCents: 5_900,
  customer: { hasAccount: false, name: 'Alex', email: 'alex@example.com', phone: null, blocked: false },
  mayReadId: false,
  verification: null,
  payments: [],
  refunds: [],
  cancellation: null,
  code: { due: null, requested: null, accepted: null, mailed: null, seen: null, used: null },
  moves: [],
  noShow: null,
  staffNotes: [],
  openLink: true,
  heldTogether: { bookings: 3, cents: 17_700 },
  waiting: null,
  documents: [],
  mails: [],
  history: null,
  ...more,
});

test('marking one booking of an unpaid series as paid names the sum of all, which are confirmed together', async () => {
  wire.answer('staff-mark-paid', { bookingId: booking({}).id, reference: 'ABCD-2345' });
  const onDone = vi.fn();
  renderPart(<MarkPaidStep booking={booking({})} onDone={onDone} />);
  expect(
    screen.getByText(/^Do this once you have received \$177 .* All 3 bookings of the series are then/),
  ).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Mark as paid' }));
  await waitFor(() => expect(onDone).toHaveBeenCalled());
  expect(toast).toHaveBeenCalledWith(expect.objectContaining({ title: 'ABCD-2345 and 2 more are paid and confirmed' }));
});

test('while it is sent and afterwards, the words are those that were confirmed, though the series is no longer held', async () => {
  wire.answer('staff-mark-paid', { bookingId: booking({}).id, reference: 'ABCD-2345' });
  const release = wire.pause('staff-mark-paid');
  const onDone = vi.fn();
  const { rerender } = renderPart(<MarkPaidStep booking={booking({})} onDone={onDone} />);
  await user.click(screen.getByRole('button', { name: 'Mark as paid' }));
  await wire.expectSent('staff-mark-paid', { bookingId: booking({}).id });
  rerender(<MarkPaidStep booking={booking({ status: 'confirmed', heldTogether: null })} onDone={onDone} />);
  expect(screen.getByText(/^Do this once you have received \$177 /)).toBeTruthy();
  release();
  await waitFor(() => expect(onDone).toHaveBeenCalled());
  expect(toast).toHaveBeenCalledWith(expect.objectContaining({ title: 'ABCD-2345 and 2 more are paid and confirmed' }));
});

test('marking a booking that was made alone names its own price', () => {
  renderPart(<MarkPaidStep booking={booking({ heldTogether: null })} onDone={vi.fn()} />);
  expect(screen.getByText(/^Do this once you have received \$59 .* The booking is then confirmed/)).toBeTruthy();
});

/** Returns the text of the last step of a cancellation. */
async function consequences(of: queries.BookingDetails): Promise<string> {
  renderPart(<CancelForm booking={of} mayRefund onDone={vi.fn()} />);
  await fill(screen.getByLabelText('Reason'), 'ill');
  await user.click(screen.getByRole('button', { name: 'Continue' }));
  return (await screen.findByText(/undo this/)).parentElement?.textContent ?? '';
}

test('cancelling one booking of an unpaid series says that all of it ends, which cannot be undone', async () => {
  const words = await consequences(booking({}));
  expect(words).toMatch(/^All 3 unpaid bookings of the series end\./);
  expect(words).toMatch(/You can’t undo this\./);
  expect(wire.sent('staff-cancel-booking')).toEqual([]);
});

test('cancelling a hold that was made alone cannot be undone, cancelling a confirmed booking can', async () => {
  expect(await consequences(booking({ heldTogether: null }))).toMatch(/^The hold ends, .*You can’t undo this\./);
  document.body.replaceChildren();
  const confirmed = booking({ status: 'confirmed', heldTogether: null });
  expect(await consequences(confirmed)).toMatch(/You can undo this for ten seconds\./);
});
