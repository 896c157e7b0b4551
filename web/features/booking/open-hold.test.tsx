import { screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import type { OwnBooking } from '#web/data/bookings/booking.ts';
import { EXAMPLE_OWN_BOOKING } from '#web/data/testing/example-booking.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { pressTwice, renderPart, user } from '#web/ui/component-tests.ts';
import { answerCall, delayServer, expectOneCall } from '#web/ui/testing/delayed-server.ts';
import { watchReads } from '#web/ui/testing/watched-reads.ts';
import { OpenHoldNotice } from './open-hold.tsx';

const HOLD: OwnBooking = {
  ...EXAMPLE_OWN_BOOKING,
  id: 'b1',
  status: 'pending',
  holdExpiresAt: new Date('2031-03-01T00:15:00Z'),
  createdAt: new Date('2031-03-01T00:00:00Z'),
  payment: null,
};
const onReleased = vi.fn();
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
beforeEach(() => {
  vi.resetAllMocks();
  delayServer();
});

test('while hours are released they cannot be released again or kept; a failure is shown in a toast and changes nothing', async () => {
  const { client, failures } = renderPart(<OpenHoldNotice hold={HOLD} onReleased={onReleased} />);
  const reads = await watchReads(client, queryKeys);
  await user.click(button('Release these hours'));
  await pressTwice(button('Yes, release them'));
  expect(await expectOneCall('release-hold')).toMatchObject({ bookingId: 'b1' });
  expect([button('Yes, release them').disabled, button('Keep them').disabled]).toEqual([true, true]);
  answerCall('release-hold', { error: {} }, 500);
  expect(await screen.findByRole('button', { name: 'Release these hours' })).toBeTruthy();
  expect(failures).toHaveLength(1);
  expect(reads.take()).toEqual(['availability', 'ownBookings']);
  expect(onReleased).not.toHaveBeenCalled();
});
