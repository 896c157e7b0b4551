import type { Transaction } from '#server/db/database.ts';
import type { Dispute } from '#server/providers/ports.ts';
import type { BookingFacts, PaymentFacts } from '../core/booking-rows.ts';
import { enqueue } from '../core/jobs.ts';
import type { PaymentContext } from './context.ts';
import { auditPayment, takenCents } from './payment-rows.ts';

/**
 * Records the newest dispute of a payment and raises an alert with each change. Leaves the booking as it is: staff decide about
 * one that has not started.
 */
export async function recordDisputes(
  context: PaymentContext,
  tx: Transaction,
  move: { booking: BookingFacts; payment: PaymentFacts; disputes: readonly Dispute[] },
): Promise<void> {
  const { booking, payment } = move;
  const newest = move.disputes.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())[0];
  if (!newest || (payment.disputeId === newest.id && payment.disputeStatus === newest.status)) return;
  const state = stateAfter(booking, payment, newest.status, await isKept(tx, booking));
  await tx.query(`update private.payment set state = $2, dispute_id = $3, dispute_status = $4 where id = $1::uuid`, [
    payment.id,
    state,
    newest.id,
    newest.status,
  ]);
  await auditPayment(tx, 'alert', payment, { dispute: newest.id, status: newest.status, state });
  if (state === 'refund_pending' && payment.state !== 'refund_pending')
    await enqueue(tx, {
      kind: 'payment.refund',
      subjectId: payment.id,
      dedupe: `dispute:${newest.id}`,
      dueAt: context.clock(),
    });
}

/** Whether staff decided at the cancellation that not all of the money goes back. Parts of it have their own rows. */
async function isKept(tx: Transaction, booking: BookingFacts): Promise<boolean> {
  const row = await tx.one(`select from private.cancellation where booking_id = $1::uuid and refund <> 'full'`, [
    booking.id,
  ]);
  return row !== null;
}

function stateAfter(
  booking: BookingFacts,
  payment: PaymentFacts,
  status: Dispute['status'],
  kept: boolean,
): PaymentFacts['state'] {
  const { state } = payment;
  switch (status) {
    case 'open':
      return state === 'paid' || state === 'dispute_lost' ? 'disputed' : state;
    case 'lost':
      return ['paid', 'disputed', 'refund_pending', 'refund_failed'].includes(state) ? 'dispute_lost' : state;
    case 'won':
      if (state !== 'disputed' && state !== 'dispute_lost') return state;
      // We have the money again, and owe it when the booking was cancelled meanwhile.
      return booking.status === 'cancelled' && !kept && payment.refundedCents < takenCents(payment)
        ? 'refund_pending'
        : 'paid';
  }
}
