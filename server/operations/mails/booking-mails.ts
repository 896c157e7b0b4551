import type { Database } from '#server/db/database.ts';
import {
  bookingCancelledMail,
  bookingConfirmedMail,
  paymentFailedMail,
  paymentProcessingMail,
  paymentReturnedMail,
} from '#server/mails/booking.ts';
import type { AccessContext } from '../access/context.ts';
import { showAccess } from '../access/show-access.ts';
import { freeCancelHours } from '../bookings/cancel.ts';
import { latestPayment, type PaymentFacts } from '../core/booking-rows.ts';
import type { Job, JobOutcome } from '../core/jobs.ts';
import { Refusal } from '../core/refusal.ts';
import { refundCents } from '../payments/payment-rows.ts';
import { type BookingMailContext, pinLink, sendBookingMail } from './booking-mail.ts';

/** Mails the customer that the booking is confirmed, from when the door opens, and until when it can be cancelled. */
export async function sendConfirmation(context: BookingMailContext, job: Job): Promise<JobOutcome> {
  await sendBookingMail(context, job, async (booking, facts) =>
    bookingConfirmedMail(
      booking,
      { pin: pinLink(context, facts), account: `${context.siteUrl}/profile` },
      (await worksFrom(context.access, facts.id)) ?? booking.start,
      await freeCancelHours(context.db, facts.id),
    ),
  );
  return 'done';
}

/** Mails the customer that the booking is cancelled, and how much money comes back. */
export async function sendCancellation(context: BookingMailContext, job: Job): Promise<JobOutcome> {
  await sendBookingMail(context, job, async (booking, facts) =>
    bookingCancelledMail(booking, await refundedCents(context.db, facts.id)),
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

async function refundedCents(db: Database, bookingId: string): Promise<number> {
  const payment = await latestPayment(db, bookingId);
  return payment?.kind === 'card' && RETURNED.includes(payment.state) ? refundCents(db, payment) : 0;
}
