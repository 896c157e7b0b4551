import { useQuery } from '@tanstack/react-query';
import type { BasePrice } from '#rules/pricing.ts';
import type { Busy } from '#rules/slots.ts';
import { type CallAnswer, callFunction } from './fetch-client.ts';
import { rest } from './rest.ts';
import { pollWhile, useLive } from './live.ts';
import { queryKeys } from './query-keys.ts';
import { rowsWith } from './rows.ts';

/** How often the bookings are read again without a live connection: a hold may end elsewhere. */
const POLL_MS = 30_000;

/**
 * A booking of the signed-in customer, or an unpaid hold. `status`: pending, confirmed or cancelled; `coupon_type`: percentage or fixed.
 * Money in dollars; `free_cancel_hours` as agreed at booking time.
 */
export type OwnBooking = {
  readonly id: string;
  readonly reference: string;
  readonly studio_id: string;
  readonly studio_name: string;
  readonly start_time: string;
  readonly end_time: string;
  readonly status: string;
  readonly hold_expires_at: string | null;
  readonly total_hours: number;
  readonly base_cost: number;
  readonly volume_discount: number;
  readonly final_cost: number;
  readonly coupon_code: string | null;
  readonly coupon_type: string | null;
  readonly coupon_value: number | null;
  readonly free_cancel_hours: number | null;
  /** The start from which the terms of cancellation count. */
  readonly terms_start: string;
  readonly created_at: string;
  /** The hours of an unpaid hold with the prices it was made with; null for other bookings. */
  readonly slots: BasePrice['slots'] | null;
  /** State of its payment, `refunded` in dollars; null when nothing had to be paid or nothing is known. */
  readonly payment: OwnPayment | null;
  /** New hours that are held until their difference is paid. */
  readonly move: WaitingMove | null;
  /** All bookings of its order, as many as are listed, earliest first; null when it was made alone. */
  readonly order: OwnOrder | null;
};
/** `id`: its first booking, which the payment is named after. */
export type OwnOrder = { readonly id: string; readonly size: number; readonly bookings: readonly OrderedBooking[] };
export type OrderedBooking = Pick<
  OwnBooking,
  'id' | 'reference' | 'studio_name' | 'start_time' | 'end_time' | 'status' | 'final_cost'
> & { readonly place: number };
/** `cents`: what has to be paid until `until`. */
type WaitingMove = {
  readonly studioName: string;
  readonly start: Date;
  readonly end: Date;
  readonly cents: number;
  readonly until: Date;
};
type OwnPayment = { readonly state: string; readonly refunded: number };

/** The spans of one room that somebody has booked and paid for. */
export function ownSpans(bookings: readonly OwnBooking[], studioId: string): Busy[] {
  return bookings
    .filter((one) => one.status === 'confirmed' && one.studio_id === studioId)
    .map((one) => ({ start: new Date(one.start_time), end: new Date(one.end_time) }));
}

/** Reads the customer's own bookings, latest first, without holds that were released unpaid. */
async function readOwnBookings(): Promise<readonly OwnBooking[]> {
  const [{ data, error }, moves] = await Promise.all([rest.rpc('own_bookings'), readWaitingMoves()]);
  if (error) throw error;
  const rows = rowsWith(
    data ?? [],
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
  );
  const payments = await readOwnPayments(rows.map((row) => row.id));
  const orders = ordersOf(rows);
  return rows.map(({ order_id: orderId, order_place: _place, order_size: _size, ...row }) => ({
    ...row,
    order: orderId === null ? null : (orders.get(orderId) ?? null),
    slots: readSlots(row.slots),
    payment: payments.get(row.id) ?? null,
    move: moves.get(row.id) ?? null,
  }));
}

type OrderedRow = Omit<OrderedBooking, 'place'> & {
  readonly order_id: string | null;
  readonly order_place: number | null;
  readonly order_size: number | null;
};

function ordersOf(rows: readonly OrderedRow[]): ReadonlyMap<string, OwnOrder> {
  const byOrder = Map.groupBy(rows, (row) => row.order_id ?? '');
  byOrder.delete('');
  return new Map(
    [...byOrder].map(([id, list]) => [
      id,
      {
        id,
        size: list[0]?.order_size ?? list.length,
        bookings: list
          .map((row) => ({ ...row, place: row.order_place ?? 0 }))
          .toSorted((one, other) => one.place - other.place),
      },
    ]),
  );
}

const isPriced = (slot: unknown): slot is BasePrice['slots'][number] =>
  slot !== null && typeof slot === 'object' && 'priceCents' in slot && 'date' in slot && 'hour' in slot;
const readSlots = (slots: unknown): BasePrice['slots'] | null =>
  Array.isArray(slots) && slots.length > 0 && slots.every(isPriced) ? slots : null;

async function readWaitingMoves(): Promise<ReadonlyMap<string, WaitingMove>> {
  const { data, error } = await rest.rpc('waiting_moves');
  if (error) throw error;
  return new Map(
    rowsWith(data, 'booking_id', 'studio_name', 'start_time', 'end_time', 'cents', 'until').map((row) => [
      row.booking_id,
      {
        studioName: row.studio_name,
        start: new Date(row.start_time),
        end: new Date(row.end_time),
        cents: row.cents,
        until: new Date(row.until),
      },
    ]),
  );
}

async function readOwnPayments(bookingIds: readonly string[]): Promise<ReadonlyMap<string, OwnPayment>> {
  if (bookingIds.length === 0) return new Map();
  const { data, error } = await rest
    .from('booking_payments')
    .select('booking_id,state,refunded')
    .in('booking_id', bookingIds);
  if (error) throw error;
  const rows = rowsWith(data, 'booking_id', 'state', 'refunded');
  return new Map(rows.map(({ booking_id: id, ...payment }) => [id, payment]));
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

/** Releases an unpaid hold, so that others can book its hours. */
export function releaseHold(bookingId: string): Promise<CallAnswer<'release-hold'>> {
  return callFunction('release-hold', { bookingId });
}

/** Returns the holds that can still be paid for, newest first; of an order the first booking. */
export function openHoldsOf(bookings: readonly OwnBooking[], now: Date): OwnBooking[] {
  return bookings
    .filter((one) => isOpenHold(one, now) && isFirstOfOrder(one))
    .toSorted((one, other) => Date.parse(other.created_at) - Date.parse(one.created_at));
}

/** Whether it stands for its order, or was made alone. */
export const isFirstOfOrder = ({ id, order }: OwnBooking): boolean => order === null || order.id === id;

/** How many bookings of its order are still to come, with this one; 1 when it was made alone. */
export const leftOf = ({ order }: Pick<OwnBooking, 'order'>, now: Date): number =>
  order?.bookings.filter((one) => one.status === 'confirmed' && new Date(one.end_time) > now).length ?? 1;

/** What is to pay for an unpaid hold, with all of its order, in dollars. */
export const costOfHold = ({ final_cost: cost, order }: OwnBooking): number =>
  order === null ? cost : order.bookings.reduce((sum, one) => sum + Math.round(one.final_cost * 100), 0) / 100;

/** Whether a hold can still be paid for. False while a payment for it is processing. */
export function isOpenHold(booking: OwnBooking, now: Date): boolean {
  return (
    booking.status === 'pending' &&
    booking.payment?.state !== 'processing' &&
    booking.hold_expires_at !== null &&
    Date.parse(booking.hold_expires_at) > now.getTime()
  );
}
