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

/**
 * Returns what goes back to the customer when the booking is cancelled, in cents: all that was taken, less what staff refunded at the
 * provider before.
 */
export async function refundCents(db: Pick<Transaction, 'one'>, payment: PaymentFacts): Promise<number> {
  const row = await db.one<{ cents: number }>(
    `select coalesce(sum(amount_cents), 0)::int as cents from private.refund
     where payment_id = $1::uuid and not ours and status not in ('failed', 'canceled')`,
    [payment.id],
  );
  const [taken, refunded] = [takenCents(payment), row?.cents ?? 0];
  // Staff can also refund all of it at the provider, which cancels the booking.
  return refunded < taken ? taken - refunded : taken;
}

/** Returns when the session of this attempt was requested, by our clock. The first attempt is made with its booking. */
export const requestedAt = (booking: BookingFacts, payment: PaymentFacts): number =>
  Date.parse(payment.attempt === 1 ? booking.createdAt : payment.createdAt);
