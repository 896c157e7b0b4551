import type { Queryable } from '#server/db/database.ts';
import { callJson } from './call-sql.ts';

/** A booking of the database. Money is in cents. */
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
  /** What staff do not charge, and what is owed. */
  readonly waivedCents: number;
  readonly finalCostCents: number;
  /** How often it was moved. */
  readonly moves: number;
  /** Whom staff booked for, when there is no account. */
  readonly guestEmail: string | null;
  readonly guestName: string | null;
  /** Who of the staff made it; null: the customer. */
  readonly madeBy: string | null;
  readonly createdAt: Date;
  readonly confirmedAt: Date | null;
  /** For the hold of new hours: the booking that moves there when the difference is paid, and which of its moves that is. */
  readonly movesBooking: string | null;
  readonly moveNumber: number | null;
  /** The first booking of the series it was made in; null: it was made alone. */
  readonly orderId: string | null;
  /** Which of its series it is, from 1, and how many there were when it was made. */
  readonly orderPlace: number | null;
  readonly orderSize: number | null;
  /** The start from which its cancellation terms count: the earliest one where staff have moved it. */
  readonly termsStart: Date;
  /** What moves cost more and is not charged yet, or, below zero, what they cost less and has not gone back yet. */
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
  /** `elsewhere`: staff got the money without the provider. */
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
  /** What the provider took; null before it took anything. */
  readonly paidCents: number | null;
  readonly refundedCents: number;
  readonly disputeId: string | null;
  readonly disputeStatus: 'open' | 'won' | 'lost' | null;
  readonly paymentIntentId: string | null;
  readonly refundId: string | null;
  readonly createdAt: Date;
  /** Which move of its booking it was for; null: the booking itself. */
  readonly moveNumber: number | null;
  /** The saved card that it is taken from; null: it is paid on the pay page. */
  readonly card: string | null;
  /** When the provider was last asked to take it. */
  readonly cardAt: Date | null;
  /** Until then another attempt takes its place: its session may end without the hold. */
  readonly replacedUntil: Date | null;
  /** The payment of the first booking of its series, also for that one itself; null: the booking was made alone. */
  readonly shareOf: string | null;
};

/** A row as a SQL function returns it in JSON, where times are ISO texts. */
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
 * Locks the booking until the transaction ends, and before the hold of new hours the booking that moves there. Always lock it before its
 * payments: the same order everywhere prevents deadlocks.
 */
export function lockBooking(tx: Queryable, bookingId: string): Promise<BookingFacts | null> {
  return callJson(tx, 'lock_booking', { p_booking: bookingId }, toBooking);
}

/** Locks a booking with all bookings of its series, in their order; a booking that was made alone as `lockBooking` does. Empty when there is none. */
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
  const row = await db.one<{ facts: BookingJson }>(
    `select private.booking_json(b) as facts from private.booking b where b.id = $1::uuid`,
    [bookingId],
  );
  return row?.facts ? toBooking(row.facts) : null;
}

/** Returns the reference that the customer knows: for the hold of new hours, that of the booking that moves there. */
export async function customersReference(db: Queryable, booking: BookingFacts): Promise<string> {
  const moving = booking.movesBooking === null ? null : await readBooking(db, booking.movesBooking);
  return (moving ?? booking).reference;
}

/** Reads the newest payment of the booking itself, not one for a move. */
export async function latestPayment(db: Queryable, bookingId: string): Promise<PaymentFacts | null> {
  const row = await db.one<{ facts: PaymentJson }>(
    `select private.payment_json(x) as facts from private.payment x where x.booking_id = $1::uuid and x.move_number is null
     order by x.attempt desc limit 1`,
    [bookingId],
  );
  return row?.facts ? toPayment(row.facts) : null;
}
