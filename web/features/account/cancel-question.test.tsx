import { screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { EXAMPLE_BOOKING } from '#web/data/testing/example-booking.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { pressTwice, renderPart, user } from '#web/ui/component-tests.ts';
import { answerCall, delayServer, expectOneCall, sentRequests } from '#web/ui/testing/delayed-server.ts';
import { watchReads } from '#web/ui/testing/watched-reads.ts';
import { CancelQuestion } from './cancel-question.tsx';

const NOW = new Date('2031-03-01T00:00:00Z');
const BOOKING = {
  ...EXAMPLE_BOOKING,
  id: 'b1',
  endTime: new Date('2031-03-08T09:00:00Z'),
  finalCents: 13_800,
  freeCancelHours: 24,
};
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
const onDone = vi.fn();
beforeEach(() => {
  vi.resetAllMocks();
  delayServer();
});
const show = async () => {
  const question = (now: Date, remaining: number) => (
    <CancelQuestion booking={BOOKING} remaining={remaining} now={now} onKeep={() => {}} onDone={onDone} />
  );
  const { client, rerender } = renderPart(question(NOW, 3));
  const rewrite = (now: Date, remaining: number) => rerender(question(now, remaining));
  return { ...(await watchReads(client, queryKeys)), rewrite };
};

test('while a cancellation is sent it cannot be sent again, changed or left, and it ends when the bookings were read again', async () => {
  const reads = await show();
  await pressTwice(button('Cancel booking'));
  expect(await expectOneCall('cancel-booking')).toEqual({ bookingId: 'b1', series: false });
  const stopped = () => [button('Cancel booking'), button('Keep it'), screen.getByRole<HTMLInputElement>('checkbox')];
  expect(stopped().map(({ disabled }) => disabled)).toEqual([true, true, true]);
  expect(reads.take()).toEqual([]);
  answerCall('cancel-booking', { cancelled: true, refund: 'full', amount: 138 });
  await expect.poll(() => reads.take()).toEqual(['ownBooking', 'ownBookings']);
  expect(stopped().map(({ disabled }) => disabled)).toEqual([true, true, true]);
  expect(onDone).not.toHaveBeenCalled();
  reads.answer();
  await expect.poll(() => onDone.mock.calls).toEqual([[expect.stringContaining('$138 is on its way back')]]);
  expect(sentRequests()).toEqual([]);
});

test('money that was not paid online does not go back to a card', async () => {
  const reads = await show();
  expect(screen.getByText(/^You’ll get the full/).textContent).toBe('You’ll get the full $138 back the way you paid.');
  await user.click(button('Cancel booking'));
  await expectOneCall('cancel-booking');
  answerCall('cancel-booking', { cancelled: true, refund: 'full', amount: 138, byHand: true });
  await expect.poll(() => reads.take()).toEqual(['ownBooking', 'ownBookings']);
  reads.answer();
  const message = `Your booking ${BOOKING.reference} is cancelled. You’ll get $138 back. What you didn’t pay online, we’ll give you ourselves.`;
  await expect.poll(() => onDone.mock.calls).toEqual([[message]]);
});

test('a series says what comes back, also when some of its bookings can no longer be cancelled', async () => {
  const reads = await show();
  await user.click(screen.getByRole('checkbox'));
  await user.click(button('Cancel 3 bookings'));
  expect(await expectOneCall('cancel-booking')).toEqual({ bookingId: 'b1', series: true });
  answerCall('cancel-booking', { cancelled: true, refund: 'part', amount: 90, bookings: 2, kept: 1 });
  await expect.poll(() => reads.take()).toEqual(['ownBooking', 'ownBookings']);
  reads.answer();
  const message =
    '2 bookings of your series are cancelled. $90 is on its way back to your card. It’s too late to cancel one of them.';
  await expect.poll(() => onDone.mock.calls).toEqual([[message]]);
});

test('a refused cancellation says why, reads the bookings again, and can be pressed again', async () => {
  const reads = await show();
  await user.click(button('Cancel booking'));
  await expectOneCall('cancel-booking');
  answerCall('cancel-booking', { error: { code: 'too_late', message: 'It’s too late to cancel.' } }, 409);
  expect(await screen.findByText('It’s too late to cancel.')).toBeTruthy();
  expect(reads.take()).toEqual(['ownBooking', 'ownBookings']);
  expect([button('Cancel booking').disabled, button('Keep it').disabled]).toEqual([false, false]);
});

test('what was confirmed stays on the page while it is sent, also when the free time ends or the series gets shorter', async () => {
  const reads = await show();
  const words = () => document.body.textContent;
  const before = words();
  expect(before).toContain('full $138');
  await user.click(button('Cancel booking'));
  await expectOneCall('cancel-booking');
  reads.rewrite(new Date('2031-03-08T06:00:00Z'), 1);
  expect(words()).toBe(before);
  reads.answer();
  answerCall('cancel-booking', { error: { code: 'too_late', message: 'It’s too late to cancel.' } }, 409);
  await screen.findByText('It’s too late to cancel.');
  expect(words()).toContain('Your booking starts in less than 24 hours');
});
