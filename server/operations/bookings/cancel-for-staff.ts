import { cancellationTerms } from '#rules/cancellation.ts';
import type { Transaction } from '#server/db/database.ts';
import { type BookingFacts, lockBooking, type PaymentFacts } from '../core/booking-rows.ts';
import { enqueue } from '../core/jobs.ts';
import { Refusal } from '../core/refusal.ts';
import { addPartialRefund } from '../payments/partial-refunds.ts';
import { paidPayment, refundableCents } from '../payments/payment-rows.ts';
import { freeCancelHours, queueRefund } from './cancel.ts';
import type { BookingContext } from './context.ts';

export type StaffCancellation = {
  readonly bookingId: string;
  /** All that is left, nothing, or an amount in cents. */
  readonly refund: 'full' | 'none' | number;
  readonly reason: string;
  readonly actor: string;
  /** Whether the refund may differ from what the terms of the booking give. */
  readonly mayChooseRefund: boolean;
};
/** What goes back. A disputed payment has nothing to refund now; `full` refunds it when the bank decides for us. */
type Decision = { readonly refund: 'full' | 'part' | 'none'; readonly cents: number };

/**
 * Cancels a confirmed booking for staff and queues its refund, mail and the end of its access codes. Returns what goes back, in cents.
 * The same decision sent again changes nothing. Throws `Refusal`.
 */
export async function cancelForStaff(
  context: Pick<BookingContext, 'db' | 'clock'>,
  wanted: StaffCancellation,
): Promise<number> {
  return context.db.transaction(async (tx) => {
    const now = context.clock();
    const booking = await lockBooking(tx, wanted.bookingId);
    if (!booking) throw new Refusal('not_found', 'Booking not found');
    if (booking.status === 'cancelled') return repeatedCents(tx, wanted);
    requireConfirmed(booking, now);
    const payment = await paidPayment(tx, booking.id);
    const left = payment === null ? 0 : await refundableCents(tx, payment);
    const decision = decide(wanted, payment, left);
    const terms = cancellationTerms(new Date(booking.startTime), now, await freeCancelHours(tx, booking.id));
    if (left > 0 && decision.refund !== terms.refund && !wanted.mayChooseRefund) throw notByTerms(terms.refund);
    await writeCancellation(tx, booking, wanted, decision, now);
    if (payment !== null && decision.cents > 0) {
      if (decision.refund === 'full') await queueRefund(tx, payment, 'staff', now);
      else
        await addPartialRefund(context, tx, {
          paymentId: payment.id,
          requestKey: 'cancellation',
          cents: decision.cents,
          reason: wanted.reason,
          actor: wanted.actor,
        });
    }
    await enqueue(tx, { kind: 'mail.booking-cancelled', subjectId: booking.id, dueAt: now });
    await enqueue(tx, { kind: 'access.revoke', subjectId: booking.id, dueAt: now });
    return decision.cents;
  });
}

/** Returns what the same decision refunded before. Throws `Refusal` for a booking that was cancelled in another way. */
async function repeatedCents(tx: Transaction, { bookingId, refund }: StaffCancellation): Promise<number> {
  const made = await tx.one<Decision>(
    'select refund, refund_cents as cents from private.cancellation where booking_id = $1::uuid',
    [bookingId],
  );
  if (made !== null && (typeof refund === 'number' ? made.cents === refund : made.refund === refund)) return made.cents;
  throw new Refusal('already_done', 'This booking is already cancelled.', made ? { refundCents: made.cents } : {});
}

function requireConfirmed(booking: BookingFacts, now: Date): void {
  if (booking.status === 'pending') throw new Refusal('not_confirmed', 'This booking hasn’t been paid yet.');
  if (Date.parse(booking.endTime) <= now.getTime())
    throw new Refusal('too_late', 'This booking is over. It can be refunded, not cancelled.');
}

function decide({ refund }: StaffCancellation, payment: PaymentFacts | null, left: number): Decision {
  const now = payment?.state === 'disputed' ? 0 : left;
  if (refund === 'none' || refund === 0) return { refund: 'none', cents: 0 };
  if (refund === 'full' || refund === now) return { refund: 'full', cents: now };
  if (refund <= left) return { refund: 'part', cents: refund };
  throw new Refusal('invalid_request', 'This is more than what is left of the payment.', {
    field: 'refund',
    refundableCents: left,
  });
}

const notByTerms = (gives: 'full' | 'none'): Refusal =>
  new Refusal(
    'not_yours',
    `The terms of this booking give ${gives === 'full' ? 'a full refund' : 'no refund'}. You need the permission “money” for another one.`,
    { permission: 'money' },
  );

async function writeCancellation(
  tx: Transaction,
  booking: BookingFacts,
  { reason, actor }: StaffCancellation,
  { refund, cents }: Decision,
  now: Date,
): Promise<void> {
  await tx.query(
    `insert into private.cancellation (booking_id, refund, refund_cents, reason, actor) values ($1::uuid, $2, $3, $4, $5::uuid)`,
    [booking.id, refund, cents, reason, actor],
  );
  await tx.query(
    `update private.booking set status = 'cancelled', cancel_reason = 'staff', cancelled_at = $2::timestamptz where id = $1::uuid`,
    [booking.id, now],
  );
  await tx.query(`select private.audit($2::uuid, 'update', 'booking', $1, $3::jsonb)`, [
    booking.id,
    actor,
    { before: { status: booking.status }, after: { status: 'cancelled', refund, refundCents: cents }, reason },
  ]);
}
