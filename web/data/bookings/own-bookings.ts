import { useQuery } from '@tanstack/react-query';
import { isDiscountType } from '#rules/coupon-discount.ts';
import type { Busy } from '#rules/slots.ts';
import { type OwnBooking, parseRow, type Series, type SeriesBooking } from './booking.ts';
import { type CallAnswer, callFunction } from '../fetch-client.ts';
import { rest } from '../rest.ts';
import { pollWhile, useLive } from '../live.ts';
import { queryKeys } from '../query-keys.ts';
import { rowsWith } from '../rows.ts';

/** Polling interval without a live connection, because a hold can end elsewhere. */
const POLL_MS = 30_000;

/** Returns the spans of one room that the customer has booked and paid for. */
export function ownSpans(bookings: readonly OwnBooking[], studioId: string): Busy[] {
  return bookings
    .filter((booking) => booking.status === 'confirmed' && booking.studioId === studioId)
    .map(({ startTime, endTime }) => ({ start: startTime, end: endTime }));
}

/** Reads the customer's own bookings, latest first. Holds that were released unpaid are left out. */
async function readOwnBookings(): Promise<readonly OwnBooking[]> {
  const [{ data, error }, moves] = await Promise.all([rest.rpc('own_bookings'), readWaitingMoves()]);
  if (error) throw error;
  const rows = rowsWith(
    data,
    'id',
    'reference',
    'studio_id',
    'studio_name',
    'start_time',
    'end_time',
    'status',
    'total_hours',
    'base_cost',
    'volume_discount',
    'final_cost',
    'created_at',
    'terms_start',
  ).map(parseRow);
  const payments = await readOwnPayments(rows.map(({ id }) => id));
  const series = Map.groupBy(rows, ({ orderId }) => orderId);
  return rows.map(({ orderId, couponType, couponValue, ...row }) => ({
    ...row,
    coupon:
      row.couponCode !== null && couponValue !== null && isDiscountType(couponType)
        ? { code: row.couponCode, discountType: couponType, discountValue: couponValue }
        : null,
    slots: readSlots(row.slots),
    payment: payments.get(row.id) ?? null,
    move: moves.get(row.id) ?? null,
    series: orderId === null ? null : toSeries(orderId, series.get(orderId) ?? []),
  }));
}

type SeriesRow = Omit<SeriesBooking, 'place'> & {
  readonly orderPlace: number | null;
  readonly orderSize: number | null;
};

function toSeries(id: string, rows: readonly SeriesRow[]): Series {
  const bookings = rows.map((row) => ({ ...row, place: row.orderPlace ?? 0 }));
  return {
    id,
    size: rows[0]?.orderSize ?? rows.length,
    bookings: bookings.toSorted((booking, other) => booking.place - other.place),
  };
}

type PricedSlots = NonNullable<OwnBooking['slots']>;
const isPriced = (slot: unknown): slot is PricedSlots[number] =>
  slot !== null && typeof slot === 'object' && 'priceCents' in slot && 'date' in slot && 'hour' in slot;
const readSlots = (slots: unknown): PricedSlots | null =>
  Array.isArray(slots) && slots.length > 0 && slots.every(isPriced) ? slots : null;

async function readWaitingMoves(): Promise<ReadonlyMap<string, NonNullable<OwnBooking['move']>>> {
  const { data, error } = await rest.rpc('waiting_moves');
  if (error) throw error;
  return new Map(
    rowsWith(data, 'booking_id', 'studio_name', 'start_time', 'end_time', 'cents', 'until').map((row) => [
      row.booking_id,
      parseRow(row),
    ]),
  );
}

async function readOwnPayments(
  bookingIds: readonly string[],
): Promise<ReadonlyMap<string, NonNullable<OwnBooking['payment']>>> {
  if (bookingIds.length === 0) return new Map();
  const { data, error } = await rest
    .from('booking_payments')
    .select('booking_id,state,refunded')
    .in('booking_id', bookingIds);
  if (error) throw error;
  const rows = rowsWith(data, 'booking_id', 'state', 'refunded').map(parseRow);
  return new Map(rows.map(({ bookingId, ...payment }) => [bookingId, payment]));
}

/** Queries the bookings of the signed-in customer, and follows them. */
export function useOwnBookings(userId: string | null) {
  const live = useLive(userId === null ? null : `user:${userId}`, queryKeys.ownBookings.all);
  return useQuery({
    queryKey: queryKeys.ownBookings.of(userId),
    queryFn: readOwnBookings,
    enabled: userId !== null,
    refetchInterval: pollWhile(live, POLL_MS),
  });
}

/** Releases an unpaid hold, so that other customers can book its hours. */
export function releaseHold(bookingId: string): Promise<CallAnswer<'release-hold'>> {
  return callFunction('release-hold', { bookingId });
}

/** Returns the holds that can still be paid for, newest first. A series is represented by its first booking. */
export function getOpenHolds(bookings: readonly OwnBooking[], now: Date): OwnBooking[] {
  return bookings
    .filter((booking) => isOpenHold(booking, now) && isFirstInSeries(booking))
    .toSorted((booking, other) => other.createdAt.getTime() - booking.createdAt.getTime());
}

/** Whether a booking is the first of its series or not part of a series. */
export const isFirstInSeries = ({ id, series }: OwnBooking): boolean => series === null || series.id === id;

/** Counts the bookings of the series that have not ended, including this one. 1 for a single booking. */
export const countRemaining = ({ series }: Pick<OwnBooking, 'series'>, now: Date): number =>
  series?.bookings.filter((booking) => booking.status === 'confirmed' && booking.endTime > now).length ?? 1;

/** Returns the cost of an unpaid hold in cents, including all bookings of its series. */
export const costOfHold = ({ finalCents, series }: OwnBooking): number =>
  series === null ? finalCents : series.bookings.reduce((sum, booking) => sum + booking.finalCents, 0);

/** Whether a hold can still be paid for. False while a payment for it is processing. */
export function isOpenHold(booking: OwnBooking, now: Date): boolean {
  return (
    booking.status === 'pending' &&
    booking.payment?.state !== 'processing' &&
    booking.holdExpiresAt !== null &&
    booking.holdExpiresAt > now
  );
}
