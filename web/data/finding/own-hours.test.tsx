import { expect, test } from 'vitest';
import * as wire from '../testing/wire.ts';
import { readDays } from './availability.ts';

const ROOM = '55555555-5555-4555-8555-555555555555';
const DAYS = { from: '2026-11-21', to: '2026-11-22' };
const booked = (id: string, hour: number, status: string, userId: string | null) => ({
  id,
  studio_id: ROOM,
  start_time: `2026-11-21T0${hour}:00:00.000Z`,
  end_time: `2026-11-21T0${hour + 1}:00:00.000Z`,
  status,
  user_id: userId,
});

test('the customer’s own bookings are marked, and among their holds those whose payment is in process', async () => {
  wire.answerRows('bookings', [
    booked('paid', 1, 'confirmed', 'me'),
    booked('held', 2, 'pending', 'me'),
    booked('processing', 3, 'pending', 'me'),
    booked('other', 4, 'confirmed', 'somebody'),
    booked('hidden', 5, 'pending', null),
  ]);
  wire.answerRows('closed_hours', []);
  wire.answerRows('booking_payments', [{ booking_id: 'processing' }]);
  const marks = async (userId: string | null) =>
    (await readDays(ROOM, DAYS, userId)).get(ROOM)?.map(({ mine, processing }) => [mine, processing]);
  expect(await marks('me')).toEqual([
    [true, false],
    [true, false],
    [true, true],
    [false, false],
    [false, false],
  ]);
  expect(wire.sentTo('booking_payments').map(({ search }) => search.get('booking_id'))).toEqual([
    'in.(held,processing)',
  ]);
  expect(await marks(null)).toEqual(Array.from({ length: 5 }, () => [false, false]));
  expect(wire.sentTo('booking_payments')).toHaveLength(1);
});
