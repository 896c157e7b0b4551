import type { Transaction } from '#server/db/database.ts';
import type { BookingFacts, PaymentFacts } from '../core/booking-rows.ts';

/** Locks the payment until the transaction ends. Lock its booking first, to prevent deadlocks. */
export async function lockPayment(tx: Transaction, paymentId: string): Promise<PaymentFacts | null> {
  const row = await tx.one<{ facts: PaymentFacts }>(
    `select private.payment_json(x) as facts from private.payment x where x.id = $1::uuid for update`,
    [paymentId],
  );
  return row?.facts ?? null;
}

/** Reads the payment of a booking whose money we have; null when there is none. */
export async function paidPayment(db: Pick<Transaction, 'one'>, bookingId: string): Promise<PaymentFacts | null> {
  const row = await db.one<{ facts: PaymentFacts }>(
    `select private.payment_json(x) as facts from private.payment x
     where x.booking_id = $1::uuid and x.kind <> 'free' and x.state in ('paid', 'disputed')`,
    [bookingId],
  );
  return row?.facts ?? null;
}

/** Writes a payment's audit row; `alert` asks staff to look at it. */
export async function auditPayment(
  tx: Transaction,
  action: 'update' | 'alert',
  payment: PaymentFacts,
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  await tx.query(`select private.audit(null, $2, 'payment', $1, $3::jsonb)`, [
    payment.id,
    action,
    { bookingId: payment.bookingId, ...details },
  ]);
}

/** Whether we have the money. */
export const isPaid = (payment: PaymentFacts): boolean => payment.state === 'paid' || payment.state === 'disputed';

/** Returns what was taken and can be refunded, in cents. */
export const takenCents = (payment: PaymentFacts): number => payment.paidCents ?? payment.amountCents;

/** Returns what can still be refunded of a payment, in cents: what was taken, less what staff refunded before. */
export async function refundableCents(db: Pick<Transaction, 'one'>, payment: PaymentFacts): Promise<number> {
  const row = await db.one<{ cents: number }>('select private.refundable_cents($1::uuid) as cents', [payment.id]);
  return row?.cents ?? 0;
}

/** Returns when the session of this attempt was requested, by our clock. The first attempt is made with its booking. */
export const requestedAt = (booking: BookingFacts, payment: PaymentFacts): number =>
  Date.parse(payment.attempt === 1 ? booking.createdAt : payment.createdAt);
