import { act, screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { queryKeys } from '#web/data/query-keys.ts';
import { pressTwice, renderPart, user } from '#web/ui/component-tests.ts';
import { answerCall, delayServer, expectOneCall, sentRequests } from '#web/ui/testing/delayed-server.ts';
import { watchReads } from '#web/ui/testing/watched-reads.ts';
import { ChangeStep } from './change-step.tsx';
import type { BookingPage } from './queries.ts';

const leaveTo = vi.hoisted(() => vi.fn());
vi.mock('#web/lib/leave.ts', () => ({ leaveTo }));

const at = (hour: number): Date => new Date(Date.parse('2031-03-08T00:00:00+11:00') + hour * 3_600_000);
const BOOKING = {
  id: 'b1',
  reference: 'ABCD-2345',
  studioId: 'A',
  studioName: 'Studio A',
  startTime: at(18),
  endTime: at(20),
} as BookingPage;
const CARD = { id: 'pm_1', brand: 'visa', last4: '4242', expiryMonth: 12, expiryYear: 2099 };
const CHANGED = ['availability', 'ownBooking', 'ownBookings', 'savedCards'];
const onDone = vi.fn();
const onBack = vi.fn();
const buttons = () => screen.getAllByRole<HTMLButtonElement>('button');
const disabled = () => buttons().map((button) => button.disabled);
const press = async (name: string) => pressTwice(await screen.findByRole('button', { name }));

beforeEach(() => {
  vi.resetAllMocks();
  delayServer();
});

/** Renders a move whose price the server has returned. A move that costs more can be paid with a saved card. */
async function show(quote: object) {
  const change = { kind: 'move', studioId: 'A', start: at(20), end: at(22) } as const;
  const to = { studioName: 'Studio A', start: at(20), end: at(22) };
  const step = (booking: BookingPage) => (
    <ChangeStep booking={booking} userId="u" change={change} to={to} onDone={onDone} onBack={onBack} />
  );
  const { client, rerender } = renderPart(step(BOOKING));
  /** Renders the booking again with other hours, as after another read. */
  const readAgain = (change: Partial<BookingPage>) => rerender(step({ ...BOOKING, ...change }));
  await expectOneCall('reschedule-booking');
  answerCall('reschedule-booking', quote);
  if ('payUntil' in quote) {
    await expectOneCall('saved-cards');
    answerCall('saved-cards', { cards: [CARD] });
  }
  await screen.findByRole('button', { name: 'Back' });
  const { savedCards: _, moveQuote: __, ...others } = queryKeys;
  return { ...(await watchReads(client, others)), readAgain };
}

test('while a move is sent it cannot be sent again or left, and it ends when the pages were read again', async () => {
  const reads = await show({ differenceCents: 0, refundCents: 0 });
  await press('Change my booking');
  expect(await expectOneCall('reschedule-booking')).toMatchObject({ bookingId: 'b1', differenceCents: 0 });
  expect(disabled()).toEqual([true, true]);
  answerCall('reschedule-booking', { differenceCents: 0, refundCents: 0 });
  await expect.poll(() => reads.take()).toEqual(CHANGED.filter((kind) => kind !== 'savedCards'));
  expect(disabled()).toEqual([true, true]);
  expect(onDone).not.toHaveBeenCalled();
  reads.answer();
  await expect.poll(() => onDone.mock.calls).toHaveLength(1);
});

test('while a saved card pays for a move neither another way to pay nor Back can be pressed', async () => {
  const reads = await show({ differenceCents: 1_000, refundCents: 0, payUntil: '2031-03-01T00:15:00Z' });
  await press('Pay $10 with Visa ending in 4242');
  expect(await expectOneCall('reschedule-booking')).toMatchObject({ card: 'pm_1' });
  expect(disabled()).toEqual([true, true, true]);
  expect(buttons().map((button) => button.getAttribute('aria-busy'))).toEqual(['true', 'false', 'false']);
  reads.answer();
  answerCall('reschedule-booking', { differenceCents: 1_000, refundCents: 0 });
  // A card may have been saved or removed elsewhere.
  await expectOneCall('saved-cards');
  answerCall('saved-cards', { cards: [CARD] });
  await expect.poll(() => onDone.mock.calls).toHaveLength(1);
});

test('while the browser leaves for the pay page nothing can be pressed, and after Back from there it can', async () => {
  const reads = await show({ differenceCents: 1_000, refundCents: 0, payUntil: '2031-03-01T00:15:00Z' });
  reads.answer();
  await press('Pay another way');
  await expectOneCall('reschedule-booking');
  answerCall('reschedule-booking', {
    differenceCents: 1_000,
    refundCents: 0,
    waitsUntil: 'x',
    url: 'https://pay.example',
  });
  await expectOneCall('saved-cards');
  answerCall('saved-cards', { cards: [CARD] });
  await expect.poll(() => leaveTo.mock.calls).toEqual([['https://pay.example']]);
  await expect.poll(sentRequests).toEqual([]);
  await act(async () => new Promise((done) => setTimeout(done, 50)));
  expect(disabled()).toEqual([true, true, true]);
  act(() => void window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true })));
  await expect.poll(disabled).toEqual([false, false, false]);
});

test('after a refusal the old price cannot be pressed while the new one is read', async () => {
  const reads = await show({ differenceCents: 0, refundCents: 0 });
  reads.answer();
  await press('Change my booking');
  await expectOneCall('reschedule-booking');
  answerCall('reschedule-booking', { error: { code: 'price_changed', message: 'The price has changed.' } }, 409);
  await press('Try again');
  await expectOneCall('reschedule-booking');
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Change my booking' }).disabled).toBe(true);
  answerCall('reschedule-booking', { differenceCents: 1_000, refundCents: 0, payUntil: '2031-03-01T00:15:00Z' });
  expect(await screen.findByRole('button', { name: /Pay \$10/ })).toBeTruthy();
});

test('while a move is paid the page keeps the hours and the price that were confirmed, although the booking has moved', async () => {
  const reads = await show({ differenceCents: 1_000, refundCents: 0, payUntil: '2031-03-01T00:15:00Z' });
  const words = () => screen.getByRole('group', { name: 'Confirm' }).textContent;
  const before = words();
  expect(before).toContain('Now');
  await press('Pay $10 with Visa ending in 4242');
  await expectOneCall('reschedule-booking');
  // The payment has moved the booking, and this change on the account is read before the answer arrives.
  reads.readAgain({ startTime: at(20), endTime: at(22) });
  expect(words()).toBe(before);
  expect(sentRequests()).toEqual(['POST /functions/v1/reschedule-booking']);
  reads.answer();
  answerCall('reschedule-booking', { differenceCents: 1_000, refundCents: 0 });
  await expectOneCall('saved-cards');
  answerCall('saved-cards', { cards: [] });
  await expect.poll(() => onDone.mock.calls).toHaveLength(1);
  expect(words()).toBe(before);
});

test('a booking that was moved elsewhere before the price was confirmed has to be chosen again', async () => {
  const reads = await show({ differenceCents: 0, refundCents: 0 });
  reads.answer();
  reads.readAgain({ startTime: at(19) });
  expect(screen.getByRole('alert').textContent).toMatch(/Your booking has changed meanwhile\. It’s now Studio A/);
  expect(screen.queryByRole('button', { name: 'Change my booking' })).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Choose again' }));
  expect(onBack).toHaveBeenCalledOnce();
});
