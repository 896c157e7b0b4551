import { z } from 'zod';
import type { Database } from '#server/db/database.ts';
import {
  bookingCancelledMail,
  bookingConfirmedMail,
  bookingMovedMail,
  paymentFailedMail,
  paymentProcessingMail,
  paymentReturnedMail,
  refundMail,
} from '#server/mails/booking.ts';
import type { AccessContext } from '../access/context.ts';
import { showAccess } from '../access/show-access.ts';
import { freeCancelHours } from '../bookings/cancel.ts';
import { latestPayment, type PaymentFacts } from '../core/booking-rows.ts';
import type { Job, JobOutcome } from '../core/jobs.ts';
import { Refusal } from '../core/refusal.ts';
import { refundableCents, takenCents } from '../payments/payment-rows.ts';
import { type BookingMailContext, pinLink, sendBookingMail } from './booking-mail.ts';

/** Mails the customer that the booking is confirmed, from when the door opens, and until when it can be cancelled. */
export async function sendConfirmation(context: BookingMailContext, job: Job): Promise<JobOutcome> {
  await sendBookingMail(context, job, async (booking, facts) =>
    bookingConfirmedMail(
      booking,
      { pin: pinLink(context, facts), account: facts.userId === null ? null : `${context.siteUrl}/profile` },
      (await worksFrom(context.access, facts.id)) ?? booking.start,
      await freeCancelHours(context.db, facts.id),
    ),
  );
  return 'done';
}

/** Mails the customer that the booking is cancelled, and how much money comes back. */
export async function sendCancellation(context: BookingMailContext, job: Job): Promise<JobOutcome> {
  await sendBookingMail(context, job, async (booking, facts) =>
    bookingCancelledMail(
      booking,
      await cancellationMoney(context.db, facts.id),
      job.payload['because'] === 'id_missing',
    ),
  );
  return 'done';
}

const beforeSchema = z.object({
  studioName: z.string(),
  startTime: z.coerce.date(),
  endTime: z.coerce.date(),
  refundCents: z.number(),
  byHand: z.boolean(),
});

/** Mails the customer the old and the new hours of a booking that was moved; nothing when it was cancelled meanwhile. */
export async function sendMove(context: BookingMailContext, job: Job): Promise<JobOutcome> {
  const { studioName, startTime: start, endTime: end, refundCents, byHand } = beforeSchema.parse(job.payload);
  await sendBookingMail(context, job, async (booking, facts) =>
    facts.status === 'confirmed'
      ? bookingMovedMail(booking, { studioName, start, end }, { refundCents, byHand, pin: pinLink(context, facts) })
      : null,
  );
  return 'done';
}

/** Mails the customer that staff refund a part of the payment. */
export async function sendRefund(context: BookingMailContext, job: Job): Promise<JobOutcome> {
  const { cents } = job.payload;
  if (typeof cents === 'number')
    await sendBookingMail(context, job, async (booking, facts) =>
      refundMail(booking, cents, await isElsewhere(context.db, facts.id)),
    );
  return 'done';
}

/** Mails the customer that a payment came too late and is refunded. */
export async function sendPaymentReturned(context: BookingMailContext, job: Job): Promise<JobOutcome> {
  await sendBookingMail(context, job, async (booking, facts) =>
    paymentReturnedMail(booking, await refundedCents(context.db, facts.id)),
  );
  return 'done';
}

/** Mails the customer that the payment takes days. Sends nothing once it has ended: another mail gives the result. */
export async function sendPaymentProcessing(context: BookingMailContext, job: Job): Promise<JobOutcome> {
  await sendBookingMail(context, job, async (booking, facts) =>
    facts.status === 'pending' ? paymentProcessingMail(booking) : null,
  );
  return 'done';
}

/** Mails the customer that the payment failed and the hours are free again. */
export async function sendPaymentFailed(context: BookingMailContext, job: Job): Promise<JobOutcome> {
  await sendBookingMail(context, job, async (booking, facts) => {
    const late = (await latestPayment(context.db, facts.id))?.state === 'processing';
    return paymentFailedMail(booking, late, `${context.siteUrl}/booking`);
  });
  return 'done';
}

/** Returns null when there is no access yet. Any other error fails the job: a mail that is tried again is better than a wrong time. */
async function worksFrom(access: AccessContext, bookingId: string): Promise<Date | null> {
  try {
    return (await showAccess(access, bookingId)).worksFrom;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** States of a payment that is or will be refunded. */
const RETURNED: readonly PaymentFacts['state'][] = ['refund_pending', 'refunded', 'refund_failed', 'refund_manual'];

/** What the mail of a cancellation says about the money. */
async function cancellationMoney(
  db: Database,
  bookingId: string,
): Promise<{ paid: boolean; refundCents: number; byHand: boolean }> {
  const decided = await db.one<{ cents: number }>(
    'select refund_cents as cents from private.cancellation where booking_id = $1::uuid',
    [bookingId],
  );
  const paid = await db.one(`select from private.payment where booking_id = $1::uuid and paid_cents > 0`, [bookingId]);
  const byHand = await isElsewhere(db, bookingId);
  return { paid: paid !== null, refundCents: decided?.cents ?? (await refundedCents(db, bookingId)), byHand };
}

/** Whether staff got the money without the payment provider. */
const isElsewhere = async (db: Database, bookingId: string): Promise<boolean> =>
  (await latestPayment(db, bookingId))?.kind === 'elsewhere';

async function refundedCents(db: Database, bookingId: string): Promise<number> {
  const payment = await latestPayment(db, bookingId);
  if (payment?.kind === 'elsewhere') return partCents(db, payment);
  if (payment?.kind !== 'card' || !RETURNED.includes(payment.state)) return 0;
  // Staff can also refund all of it at the provider, which cancels the booking.
  return (await refundableCents(db, payment)) || takenCents(payment);
}

/** What goes back of a payment made elsewhere because its customer cancelled. */
async function partCents(db: Database, payment: PaymentFacts): Promise<number> {
  const row = await db.one<{ cents: number }>(
    `select amount_cents as cents from private.partial_refund where payment_id = $1::uuid and request_key = 'cancellation'`,
    [payment.id],
  );
  return row?.cents ?? 0;
}
