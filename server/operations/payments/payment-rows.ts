import type { JsonObject } from '#database/types.ts';
import type { Transaction, Queryable } from '#server/db/database.ts';
import { withoutPersonal } from '#server/providers/call.ts';
import type { Decline } from '#server/providers/ports.ts';
import {
  type BookingFacts,
  type BookingJson,
  type PaymentFacts,
  type PaymentJson,
  toBooking,
  toPayment,
} from '../core/booking-rows.ts';
import { recordAudit } from '../core/audit.ts';
import type { Settlement } from '../core/settlement.ts';

/** Locks the payment until the transaction ends. Lock its booking first, to prevent deadlocks. */
export async function lockPayment(tx: Transaction, paymentId: string): Promise<PaymentFacts | null> {
  const row = await tx.queryRow<{ facts: PaymentJson }>(
    `select private.payment_json(x) as facts from private.payment x where x.id = $1::uuid for update`,
    [paymentId],
  );
  return row && toPayment(row.facts);
}

/** A payment whose money we have. `leftCents`: the amount that can still be refunded, which is what was taken less what staff have refunded. */
export type PaidPayment = { readonly payment: PaymentFacts; readonly leftCents: number };

/** Reads the payments of a booking whose money we have, in the order in which refunds use them: disputed ones last, otherwise newest first. */
export async function paidPayments(db: Queryable, bookingId: string): Promise<readonly PaidPayment[]> {
  const { rows } = await db.query<{ payment: PaymentJson; leftCents: number }>(
    `select private.payment_json(x) as payment, private.refundable_cents(x.id) as "leftCents" from private.payment x
     where x.booking_id = $1::uuid and x.kind <> 'free' and x.state in ('paid', 'disputed')
     order by x.state = 'disputed', x.attempt desc`,
    [bookingId],
  );
  return rows.map((row) => ({ ...row, payment: toPayment(row.payment) }));
}

/** Returns the total amount that can still be refunded, in cents. */
export const leftCents = (paid: readonly PaidPayment[]): number =>
  paid.reduce((sum, payment) => sum + payment.leftCents, 0);

/** Divides a refund among payments, in their order. Any amount beyond what is left of them is dropped. */
export function splitRefund(
  paid: readonly PaidPayment[],
  cents: number,
): readonly { readonly payment: PaymentFacts; readonly cents: number }[] {
  let rest = cents;
  const parts = paid.map(({ payment, leftCents: remaining }) => {
    const part = Math.min(rest, remaining);
    rest -= part;
    return { payment, cents: part };
  });
  return parts.filter((part) => part.cents > 0);
}

/** Returns whether a payment was made without the provider, so that staff refund it themselves. */
export const isByHand = (payment: PaymentFacts): boolean => payment.kind === 'elsewhere';

/** Writes a payment's audit row. `alert` asks staff to look at it; `declined` is an attempt that took no money. */
export async function auditPayment(
  tx: Transaction,
  action: 'update' | 'alert' | 'declined',
  payment: PaymentFacts,
  details: JsonObject,
): Promise<void> {
  await recordAudit(tx, {
    actor: null,
    action,
    resource: 'payment',
    id: payment.id,
    details: { bookingId: payment.bookingId, ...details },
  });
}

/** The reason why an attempt took no money, with personal data removed. */
export type RecordedDecline = { readonly code: string; readonly message: string };

/**
 * Records a declined attempt of a locked payment in the history of its booking. Returns null if it was already recorded. The payment and
 * its booking do not change, because the customer has seen the decline on the pay page and may try again.
 */
export async function recordDecline(
  tx: Transaction,
  payment: PaymentFacts,
  decline: Decline | null,
): Promise<RecordedDecline | null> {
  if (decline === null) return null;
  const existing = await tx.queryRow(
    `select from public.audit_logs where resource_type = 'payment' and resource_id = $1 and action = 'declined' and details ->> 'attempt' = $2`,
    [payment.id, decline.attempt],
  );
  if (existing !== null) return null;
  const recorded = { code: decline.code, message: withoutPersonal(decline.message) };
  await auditPayment(tx, 'declined', payment, { attempt: decline.attempt, ...recorded });
  return recorded;
}

/** Returns whether we have the money. */
export const isPaid = (payment: PaymentFacts): boolean => payment.state === 'paid' || payment.state === 'disputed';

export function toSettlement(json: { readonly booking: BookingJson; readonly payment: PaymentJson }): Settlement {
  const payment = toPayment(json.payment);
  return { booking: toBooking(json.booking), payment, paid: isPaid(payment) };
}

/** Returns the amount taken, which can be refunded, in cents. */
export const takenCents = (payment: PaymentFacts): number => payment.paidCents ?? payment.amountCents;

/** Returns when the session of this attempt was requested, by our clock. The first attempt is created with its booking. */
export const requestedAt = (booking: BookingFacts, payment: PaymentFacts): number =>
  (payment.attempt === 1 ? booking : payment).createdAt.getTime();
