import { cancellationTerms } from '#rules/cancellation.ts';
import { settings } from '#rules/venue.ts';
import type { Database, Transaction } from '#server/db/database.ts';
import type { Clock } from '#server/http/caller.ts';
import { latestPayment, lockBooking } from '../core/booking-rows.ts';
import { enqueue } from '../outbox.ts';
import { Refusal } from '../core/refusal.ts';

export type Cancelled = { readonly refund: 'full' | 'none'; readonly amountCents: number };

/** Cancels a confirmed booking for its customer, by the terms frozen when it was made. Throws `Refusal`. */
export async function cancelBooking(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  bookingId: string,
  userId: string,
): Promise<Cancelled> {
  return db.transaction(async (tx) => {
    const booking = await lockBooking(tx, bookingId);
    if (!booking) throw new Refusal('not_found', 'Booking not found');
    if (booking.status === 'cancelled') throw new Refusal('already_done', 'This booking is already cancelled.');
    if (booking.status === 'pending') throw new Refusal('not_confirmed', 'This booking is not paid for yet.');
    const now = clock();
    const terms = cancellationTerms(new Date(booking.startTime), now, await freeCancelHours(tx, bookingId));
    if (!terms.allowed) {
      throw new Refusal(
        'too_late',
        `Bookings can be cancelled up to ${terms.freeHours} hours before the start. Please contact us instead.`,
      );
    }
    const payment = await latestPayment(tx, booking.id);
    await tx.query(`update private.booking set status = 'cancelled', cancel_reason = 'customer' where id = $1::uuid`, [
      booking.id,
    ]);
    const refund = payment?.kind === 'card' && payment.state === 'paid' ? payment : null;
    if (refund) {
      await tx.query(
        `update private.payment set state = 'refund_pending', refund_reason = 'customer' where id = $1::uuid`,
        [refund.id],
      );
      await enqueue(tx, { kind: 'payment.refund', subjectId: refund.id, dueAt: now });
    }
    await enqueue(tx, { kind: 'mail.booking-cancelled', subjectId: booking.id, dueAt: now });
    await enqueue(tx, { kind: 'access.revoke', subjectId: booking.id, dueAt: now });
    await tx.query(
      `select private.audit($2::uuid, 'update', 'booking', $1, '{"status": "cancelled", "reason": "customer"}')`,
      [booking.id, userId],
    );
    return { refund: refund ? 'full' : 'none', amountCents: refund?.amountCents ?? 0 };
  });
}

/** How many hours before its start a booking can be cancelled for a full refund, as agreed when it was made. */
export async function freeCancelHours(db: Pick<Transaction, 'one'>, bookingId: string): Promise<number> {
  const frozen = await db.one<{ hours: number | null }>(
    `select (policy ->> 'freeCancelHours')::float8 as hours from private.booking where id = $1::uuid`,
    [bookingId],
  );
  return frozen?.hours ?? settings.freeCancelHours;
}
