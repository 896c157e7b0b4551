import type { Queryable } from '#server/db/database.ts';
import { callJson } from './call-sql.ts';

/** A booking as stored in the database. Amounts are in cents. */
export type BookingFacts = {
  readonly id: string;
  readonly reference: string;
  readonly userId: string | null;
  readonly studioId: string;
  readonly studioName: string;
  readonly startTime: Date;
  readonly endTime: Date;
  readonly status: 'pending' | 'confirmed' | 'cancelled';
  readonly cancelReason: CancelReason | null;
  readonly holdExpiresAt: Date | null;
  readonly totalHours: number;
  readonly slots: readonly { date: string; hour: number; label: string; priceCents: number }[];
  readonly baseCostCents: number;
  readonly discountCents: number;
  readonly couponDiscountCents: number;
  /** The amount that staff do not charge. */
  readonly waivedCents: number;
  readonly finalCostCents: number;
  /** How often the booking has moved. */
  readonly moves: number;
  /** The person for whom staff booked, if there is no account. */
  readonly guestEmail: string | null;
  readonly guestName: string | null;
  /** The member of staff who made the booking; null if the customer did. */
  readonly madeBy: string | null;
  readonly createdAt: Date;
  readonly confirmedAt: Date | null;
  /** For a hold of new hours: the booking that moves there when the difference is paid, and the number of that move. */
  readonly movesBooking: string | null;
  readonly moveNumber: number | null;
  /** The first booking of its series; null for a booking made alone. */
  readonly orderId: string | null;
  /** Its position in the series, from 1, and the size of the series when it was made. */
  readonly orderPlace: number | null;
  readonly orderSize: number | null;
  /** The start to which the cancellation terms refer: the earliest one if staff have moved the booking. */
  readonly termsStart: Date;
  /** The amount that moves added to the price and that is not charged yet; negative for a reduction that is not refunded yet. */
  readonly owedCents: number;
};

export type CancelReason =
  | 'hold_expired'
  | 'abandoned'
  | 'customer'
  | 'staff'
  | 'payment_failed'
  | 'slot_lost'
  | 'amount_mismatch'
  | 'replaced';

export type PaymentFacts = {
  readonly id: string;
  readonly bookingId: string;
  readonly attempt: number;
  /** `elsewhere`: the money was paid to staff without the provider. */
  readonly kind: 'card' | 'free' | 'elsewhere';
  readonly state:
    | 'intent'
    | 'open'
    | 'processing'
    | 'failed'
    | 'expired'
    | 'paid'
    | 'refund_pending'
    | 'refunded'
    | 'refund_failed'
    | 'refund_manual'
    | 'disputed'
    | 'dispute_lost';
  readonly key: string;
  readonly sessionId: string | null;
  readonly url: string | null;
  readonly sessionExpiresAt: Date | null;
  readonly amountCents: number;
  /** The amount that the provider took; null before it took anything. */
  readonly paidCents: number | null;
  readonly refundedCents: number;
  readonly disputeId: string | null;
  readonly disputeStatus: 'open' | 'won' | 'lost' | null;
  readonly paymentIntentId: string | null;
  readonly refundId: string | null;
  readonly createdAt: Date;
  /** The number of the move that this payment is for; null if it is for the booking itself. */
  readonly moveNumber: number | null;
  /** The saved card to charge; null for the pay page. */
  readonly card: string | null;
  /** When the provider was last asked to charge the card. */
  readonly cardAt: Date | null;
  /** Until this time another attempt is replacing this one, so its session may end without ending the hold. */
  readonly replacedUntil: Date | null;
  /** The payment of the first booking of its series, which for the first booking is the payment itself. Null if the booking was made alone. */
  readonly shareOf: string | null;
};

/** A row in the JSON result of a SQL function, where times are ISO strings. */
type JsonRow<T> = {
  readonly [K in keyof T]: T[K] extends Date ? string : T[K] extends Date | null ? string | null : T[K];
};

/** A booking as `private.booking_json()` returns it. */
export type BookingJson = JsonRow<BookingFacts>;

/** A payment as `private.payment_json()` returns it. */
export type PaymentJson = JsonRow<PaymentFacts>;

const toDate = (text: string | null): Date | null => (text === null ? null : new Date(text));

export const toBooking = (json: BookingJson): BookingFacts => ({
  ...json,
  startTime: new Date(json.startTime),
  endTime: new Date(json.endTime),
  holdExpiresAt: toDate(json.holdExpiresAt),
  createdAt: new Date(json.createdAt),
  confirmedAt: toDate(json.confirmedAt),
  termsStart: new Date(json.termsStart),
});

export const toPayment = (json: PaymentJson): PaymentFacts => ({
  ...json,
  sessionExpiresAt: toDate(json.sessionExpiresAt),
  createdAt: new Date(json.createdAt),
  cardAt: toDate(json.cardAt),
  replacedUntil: toDate(json.replacedUntil),
});

/**
 * Locks a booking until the transaction ends. For a hold of new hours, first locks the booking that moves there. Always lock a booking
 * before its payments: the same order everywhere prevents deadlocks.
 */
export function lockBooking(tx: Queryable, bookingId: string): Promise<BookingFacts | null> {
  return callJson(tx, 'lock_booking', { p_booking: bookingId }, toBooking);
}

/** Locks all bookings of a series, in their order. A booking made alone is locked as by `lockBooking`. Empty if there is no such booking. */
export async function lockSeries(tx: Queryable, bookingId: string): Promise<readonly BookingFacts[]> {
  const read = (json: readonly BookingJson[]): readonly BookingFacts[] => json.map(toBooking);
  return (await callJson(tx, 'lock_order', { p_booking: bookingId }, read)) ?? [];
}

/** Reads all bookings of a series, earliest first. */
export async function readSeries(db: Queryable, orderId: string): Promise<readonly BookingFacts[]> {
  const { rows } = await db.query<{ facts: BookingJson }>(
    `select private.booking_json(b) as facts from private.booking b where b.order_id = $1::uuid order by b.order_place`,
    [orderId],
  );
  return rows.map(({ facts }) => toBooking(facts));
}

export async function readBooking(db: Queryable, bookingId: string): Promise<BookingFacts | null> {
  const row = await db.queryRow<{ facts: BookingJson }>(
    `select private.booking_json(b) as facts from private.booking b where b.id = $1::uuid`,
    [bookingId],
  );
  return row?.facts ? toBooking(row.facts) : null;
}

/** Returns the reference that the customer knows. For a hold of new hours this is the reference of the booking that moves. */
export async function customersReference(db: Queryable, booking: BookingFacts): Promise<string> {
  const moving = booking.movesBooking === null ? null : await readBooking(db, booking.movesBooking);
  return (moving ?? booking).reference;
}

/** Reads the newest payment for the booking itself, ignoring payments for moves. */
export async function latestPayment(db: Queryable, bookingId: string): Promise<PaymentFacts | null> {
  const row = await db.queryRow<{ facts: PaymentJson }>(
    `select private.payment_json(x) as facts from private.payment x where x.booking_id = $1::uuid and x.move_number is null
     order by x.attempt desc limit 1`,
    [bookingId],
  );
  return row?.facts ? toPayment(row.facts) : null;
}
