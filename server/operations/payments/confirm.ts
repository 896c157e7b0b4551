import { mailIsImmediate } from '#rules/access.ts';
import { settings as studio } from '#rules/venue.ts';
import type { Transaction } from '#server/db/database.ts';
import { type BookingFacts, type CancelReason, lockBooking } from '../core/booking-rows.ts';
import { enqueue } from '../core/jobs.ts';
import { Refusal } from '../core/refusal.ts';
import type { PaymentContext } from './context.ts';

/** Confirms a pending booking and queues its mails and access code, in the caller's transaction. `actor`: for the audit log. */
export async function confirmBooking(
  { clock }: Pick<PaymentContext, 'clock'>,
  tx: Transaction,
  booking: BookingFacts,
  actor: string | null = booking.userId,
): Promise<void> {
  const now = clock();
  await tx.query(
    `update private.booking set status = 'confirmed', confirmed_at = $2::timestamptz where id = $1::uuid and status = 'pending'`,
    [booking.id, now],
  );
  await enqueue(tx, { kind: 'mail.booking-confirmed', subjectId: booking.id, dueAt: now });
  await queueAccess(
    tx,
    {
      id: booking.id,
      start: new Date(booking.startTime),
      hasAddress: booking.userId !== null || booking.guestEmail !== null,
    },
    now,
  );
  await tx.query(`select private.audit($2::uuid, 'update', 'booking', $1, '{"status": "confirmed"}')`, [
    booking.id,
    actor,
  ]);
}

/** Queues the access code of a confirmed booking, and its mail where there is somebody to write to. */
export async function queueAccess(
  tx: Pick<Transaction, 'query'>,
  {
    id,
    start,
    hasAddress,
    dedupe = '',
  }: { readonly id: string; readonly start: Date; readonly hasAddress: boolean; readonly dedupe?: string },
  now: Date,
): Promise<void> {
  await enqueue(tx, {
    kind: 'access.request',
    subjectId: id,
    dedupe,
    dueAt: new Date(Math.max(now.getTime(), start.getTime() - studio.requestLeadMinutes * 60_000)),
    deadlineAt: new Date(Math.max(start.getTime(), now.getTime() + 60_000)),
  });
  if (!hasAddress) return;
  const immediate = mailIsImmediate(start, now);
  // A trigger queues the code mail with this row and fills in the recipient.
  await tx.query(
    `insert into public.scheduled_emails (booking_id, recipient_email, email_type, status, scheduled_for) values ($1::uuid, '', 'access_code', $2, $3::timestamptz)`,
    [
      id,
      immediate ? 'pending_immediate' : 'pending',
      immediate ? now : new Date(start.getTime() - studio.releaseLeadMinutes * 60_000),
    ],
  );
}

/** Confirms a booking that costs nothing, in the caller's transaction. */
export async function confirmFree(context: PaymentContext, tx: Transaction, bookingId: string): Promise<void> {
  const booking = await lockBooking(tx, bookingId);
  if (!booking) throw new Refusal('not_found', 'Booking not found');
  await tx.query(
    `update private.payment set state = 'paid', paid_at = $2::timestamptz, paid_cents = 0 where booking_id = $1::uuid and kind = 'free'`,
    [bookingId, context.clock()],
  );
  await confirmBooking(context, tx, booking);
}

/** Cancels a booking row and writes the audit log; the slot is free when the transaction commits. */
export async function cancelBookingRow(
  { clock }: Pick<PaymentContext, 'clock'>,
  tx: Transaction,
  bookingId: string,
  reason: CancelReason,
): Promise<void> {
  await tx.query(
    `update private.booking set status = 'cancelled', cancel_reason = $2, cancelled_at = $3::timestamptz where id = $1::uuid`,
    [bookingId, reason, clock()],
  );
  await tx.query(`select private.audit(null, 'update', 'booking', $1, $2::jsonb)`, [
    bookingId,
    { status: 'cancelled', reason },
  ]);
}
