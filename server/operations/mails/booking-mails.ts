import { z } from 'zod';
import type { Database } from '#server/db/database.ts';
import {
  bookingCancelledMail,
  bookingConfirmedMail,
  paymentFailedMail,
  paymentProcessingMail,
  paymentReturnedMail,
  refundMail,
} from '#server/mails/booking.ts';
import type { MoneyBack } from '#server/mails/booking-parts.ts';
import { bookingMovedMail, moveEndedMail, movePaymentReturnedMail, moveProcessingMail } from '#server/mails/move.ts';
import { readCodeHold } from '../access/code-hold.ts';
import { freeCancelHours } from '../bookings/cancel.ts';
import { type BookingFacts, latestPayment, type PaymentFacts, readBooking } from '../core/booking-rows.ts';
import { defineJob, type Job, type JobOutcome } from '../core/jobs.ts';
import { readPass } from '../wallet/pass-rows.ts';
import { takenCents } from '../payments/payment-rows.ts';
import { codeForMail } from './code-for-mail.ts';
import { readPdf } from './document-mails.ts';
import {
  readBookingSeries,
  toHours,
  seriesForMail,
  ownPage,
  pinLink,
  sendBookingMail,
  withSeries,
} from './booking-mail.ts';
import type { Services } from '../core/services.ts';

/**
 * Mails the customer the confirmation of a booking or series, with tax invoices or receipts, from when the door opens, and until when it
 * can be cancelled. Sends nothing if it has been cancelled.
 */
async function sendConfirmation(services: Services, job: Job): Promise<JobOutcome> {
  await sendBookingMail(services, job, async ({ firstName }, read) => {
    const [facts, ...others] = (await readBookingSeries(services.db, read)).filter(
      ({ status }) => status === 'confirmed',
    );
    if (facts === undefined) return null;
    const booking = seriesForMail([facts, ...others], firstName, services.business());
    const page = others.length > 0 ? '' : `/${facts.reference}`;
    const account = facts.userId === null ? null : `${services.siteUrl}/bookings${page}`;
    const mail = bookingConfirmedMail(
      booking,
      { pin: pinLink(services, facts), account },
      await codeForMail(services, facts),
      { freeHours: await hoursToCancel(services, facts), now: services.clock() },
    );
    const document = await readPdf(services, facts.id, ...others.map(({ id }) => id));
    return document ? { ...mail, document } : mail;
  });
  return 'done';
}

/**
 * Returns how many hours before its start a booking can be cancelled for a full refund. A later start set by staff does not change the
 * deadline, so the number grows.
 */
const hoursToCancel = async ({ db }: Services, facts: BookingFacts): Promise<number> =>
  (await freeCancelHours(db, facts.id)) + (facts.startTime.getTime() - facts.termsStart.getTime()) / 3_600_000;

/** Mails the customer that the booking is cancelled, and how much is refunded. */
async function sendCancellation(services: Services, job: Job<{ because?: string | undefined }>): Promise<JobOutcome> {
  await sendBookingMail(services, job, async (booking, facts) =>
    facts.movesBooking === null
      ? bookingCancelledMail(
          // An unpaid series is released as a whole.
          facts.confirmedAt === null ? await withSeries(services, booking, facts) : booking,
          {
            ...(await cancellationMoney(services.db, facts.id)),
            page: ownPage(services, facts),
          },
          job.payload.because === 'id_missing',
        )
      : moveEndedMail(booking, toHours(facts), 'withdrawn'),
  );
  return 'done';
}

const beforeSchema = z.object({
  studioName: z.string(),
  startTime: z.coerce.date(),
  endTime: z.coerce.date(),
  refundCents: z.number(),
  byHandCents: z.number().default(0),
  paidCents: z.number().default(0),
});

/** Mails the customer the old and the new hours of a booking that was moved. Sends nothing if it has been cancelled in the meantime. */
async function sendMove(services: Services, job: Job<z.output<typeof beforeSchema>>): Promise<JobOutcome> {
  const { studioName, startTime: start, endTime: end, ...money } = job.payload;
  const back = { cardCents: money.refundCents - money.byHandCents, handCents: money.byHandCents };
  await sendBookingMail(services, job, async (booking, facts) =>
    facts.status === 'confirmed'
      ? bookingMovedMail(
          booking,
          { studioName, start, end },
          {
            paidCents: money.paidCents,
            back,
            pin: pinLink(services, facts),
            pass: (await readPass(services, facts.id)) !== null,
            held: (await readCodeHold(services.db, facts.id)) !== null,
          },
        )
      : null,
  );
  return 'done';
}

/** Mails the customer that staff refund part of the payment. */
async function sendRefund(services: Services, job: Job<z.output<typeof refundSchema>>): Promise<JobOutcome> {
  const { cents, byHandCents } = job.payload;
  const back = { cardCents: cents - byHandCents, handCents: byHandCents };
  await sendBookingMail(services, job, (booking) => Promise.resolve(refundMail(booking, back)));
  return 'done';
}
const refundSchema = z.object({ cents: z.number(), byHandCents: z.number().default(0) });

/** Mails the customer that a payment arrived too late and is refunded. */
async function sendPaymentReturned(services: Services, job: Job): Promise<JobOutcome> {
  await sendBookingMail(services, job, async (booking, facts) => {
    const cents = await returnedCents(services.db, facts.id);
    if (facts.movesBooking === null) return paymentReturnedMail(await withSeries(services, booking, facts), cents);
    const kept = (await readBooking(services.db, facts.movesBooking))?.status === 'confirmed';
    return movePaymentReturnedMail(booking, toHours(facts), cents, kept);
  });
  return 'done';
}

/** Mails the customer that the payment takes days. Sends nothing if it has completed; the result is in a separate mail. */
async function sendPaymentProcessing(services: Services, job: Job): Promise<JobOutcome> {
  await sendBookingMail(services, job, async (booking, facts) => {
    if (facts.status !== 'pending') return null;
    return facts.movesBooking === null
      ? paymentProcessingMail(await withSeries(services, booking, facts))
      : moveProcessingMail(booking, toHours(facts), facts.finalCostCents);
  });
  return 'done';
}

/** Mails the customer that the payment failed and the hours are free again. */
async function sendPaymentFailed(services: Services, job: Job): Promise<JobOutcome> {
  await sendBookingMail(services, job, async (booking, facts) => {
    if (facts.movesBooking !== null) return moveEndedMail(booking, toHours(facts), 'failed');
    const late = (await latestPayment(services.db, facts.id))?.state === 'processing';
    return paymentFailedMail(await withSeries(services, booking, facts), late, `${services.siteUrl}/booking`);
  });
  return 'done';
}

/** States of a payment that has been or will be refunded. */
const RETURNED: readonly PaymentFacts['state'][] = ['refund_pending', 'refunded', 'refund_failed', 'refund_manual'];

/** Reads the amounts for the cancellation mail, from all payments of the booking. */
async function cancellationMoney(db: Database, bookingId: string): Promise<MoneyBack & { paid: boolean }> {
  const row = await db.queryRow<{ paid: boolean; cardCents: number; handCents: number; decidedCents: number | null }>(
    `select coalesce(bool_or(x.paid_cents > 0), false) as paid,
       -- Staff can also refund all of it at the provider, which cancels the booking.
       coalesce(sum(case when x.refund_reason = 'at_provider' then coalesce(nullif(private.refundable_cents(x.id), 0), x.paid_cents)
         else private.refundable_cents(x.id) end) filter (
         where x.kind = 'card' and x.state = any ($2::text[]) and x.refund_reason in ('customer', 'staff', 'at_provider')), 0)::int as "cardCents",
       (select coalesce(sum(p.amount_cents), 0)::int from private.partial_refund p join private.payment y on y.id = p.payment_id
         where y.booking_id = $1::uuid and y.kind = 'elsewhere' and p.request_key = 'cancellation') as "handCents",
       (select c.refund_cents from private.cancellation c where c.booking_id = $1::uuid) as "decidedCents"
     from private.payment x where x.booking_id = $1::uuid`,
    [bookingId, RETURNED],
  );
  if (row === null) return { paid: false, cardCents: 0, handCents: 0 };
  const { paid, cardCents, handCents, decidedCents } = row;
  return { paid, cardCents: decidedCents === null ? cardCents : decidedCents - handCents, handCents };
}

/** Returns the refunded amount of a payment whose hours were no longer available. */
async function returnedCents(db: Database, bookingId: string): Promise<number> {
  const payment = await latestPayment(db, bookingId);
  if (payment === null || !RETURNED.includes(payment.state)) return 0;
  const others = await db.queryRow<{ cents: number }>(
    'select coalesce(sum(paid_cents), 0)::int as cents from private.payment where share_of = $1::uuid and id <> $1::uuid',
    [payment.id],
  );
  return takenCents(payment) + (others?.cents ?? 0);
}

export const sendConfirmationJob = defineJob({
  kind: 'mail.booking-confirmed',
  title: 'Booking confirmation email',
  worker: 'mail',
  handle: (services, job) => sendConfirmation(services, job),
});

export const sendCancellationJob = defineJob({
  kind: 'mail.booking-cancelled',
  title: 'Cancellation email',
  worker: 'mail',
  payload: z.object({ because: z.string().optional() }),
  handle: (services, job) => sendCancellation(services, job),
});

export const sendMoveJob = defineJob({
  kind: 'mail.booking-moved',
  title: 'Moved booking email',
  worker: 'mail',
  payload: beforeSchema,
  handle: (services, job) => sendMove(services, job),
});

export const sendRefundJob = defineJob({
  kind: 'mail.refund',
  title: 'Refund email',
  worker: 'mail',
  payload: refundSchema,
  handle: (services, job) => sendRefund(services, job),
});

export const sendPaymentReturnedJob = defineJob({
  kind: 'mail.payment-returned',
  title: 'Returned payment email',
  worker: 'mail',
  handle: (services, job) => sendPaymentReturned(services, job),
});

export const sendPaymentProcessingJob = defineJob({
  kind: 'mail.payment-processing',
  title: 'Payment processing email',
  worker: 'mail',
  handle: (services, job) => sendPaymentProcessing(services, job),
});

export const sendPaymentFailedJob = defineJob({
  kind: 'mail.payment-failed',
  title: 'Failed payment email',
  worker: 'mail',
  handle: (services, job) => sendPaymentFailed(services, job),
});
