import { z } from 'zod';
import type { Database } from '#server/db/database.ts';
import {
  bookingCancelledMail,
  bookingConfirmedMail,
  type MoneyBack,
  paymentFailedMail,
  paymentProcessingMail,
  paymentReturnedMail,
  refundMail,
} from '#server/mails/booking.ts';
import { bookingMovedMail, moveEndedMail, movePaymentReturnedMail, moveProcessingMail } from '#server/mails/move.ts';
import { readCodeHold } from '../access/code-hold.ts';
import { freeCancelHours } from '../bookings/cancel.ts';
import { type BookingFacts, latestPayment, type PaymentFacts, readBooking } from '../core/booking-rows.ts';
import { defineJob, type Job, type JobOutcome } from '../core/jobs.ts';
import { readPass } from '../exports/pass-rows.ts';
import { takenCents } from '../payments/payment-rows.ts';
import { codeForMail } from './code-for-mail.ts';
import { readPdf } from './document-mails.ts';
import {
  type BookingMailContext,
  bookingsOfOrder,
  hoursOf,
  orderForMail,
  ownPage,
  pinLink,
  sendBookingMail,
  withOrder,
  type MailServices,
} from './booking-mail.ts';

/**
 * Mails the customer that the booking is confirmed, or all of its order, with tax invoices or receipts, from when the door opens, and until when it can be cancelled; nothing once it
 * is cancelled.
 */
async function sendConfirmation(context: BookingMailContext, job: Job): Promise<JobOutcome> {
  await sendBookingMail(context, job, async ({ firstName }, read) => {
    const [facts, ...others] = (await bookingsOfOrder(context.db, read)).filter(({ status }) => status === 'confirmed');
    if (facts === undefined) return null;
    const booking = orderForMail([facts, ...others], firstName, context.business());
    const page = others.length > 0 ? '' : `/${facts.reference}`;
    const account = facts.userId === null ? null : `${context.siteUrl}/bookings${page}`;
    const mail = bookingConfirmedMail(
      booking,
      { pin: pinLink(context, facts), account },
      await codeForMail(context.access, facts),
      { freeHours: await hoursToCancel(context, facts), now: context.clock() },
    );
    const document = await readPdf(context, facts.id, ...others.map(({ id }) => id));
    return document ? { ...mail, document } : mail;
  });
  return 'done';
}

/** How many hours before its start a booking can be cancelled for a full refund. Staff who move it later do not move that time. */
const hoursToCancel = async ({ db }: BookingMailContext, facts: BookingFacts): Promise<number> =>
  (await freeCancelHours(db, facts.id)) + (Date.parse(facts.startTime) - Date.parse(facts.termsStart)) / 3_600_000;

/** Mails the customer that the booking is cancelled, and how much money comes back. */
async function sendCancellation(
  context: BookingMailContext,
  job: Job<{ because?: string | undefined }>,
): Promise<JobOutcome> {
  await sendBookingMail(context, job, async (booking, facts) =>
    facts.movesBooking === null
      ? bookingCancelledMail(
          // An unpaid order is released as a whole.
          facts.confirmedAt === null ? await withOrder(context, booking, facts) : booking,
          {
            ...(await cancellationMoney(context.db, facts.id)),
            page: ownPage(context, facts),
          },
          job.payload.because === 'id_missing',
        )
      : moveEndedMail(booking, hoursOf(facts), 'withdrawn'),
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

/** Mails the customer the old and the new hours of a booking that was moved; nothing when it was cancelled meanwhile. */
async function sendMove(context: BookingMailContext, job: Job<z.output<typeof beforeSchema>>): Promise<JobOutcome> {
  const { studioName, startTime: start, endTime: end, ...money } = job.payload;
  const back = { cardCents: money.refundCents - money.byHandCents, handCents: money.byHandCents };
  await sendBookingMail(context, job, async (booking, facts) =>
    facts.status === 'confirmed'
      ? bookingMovedMail(
          booking,
          { studioName, start, end },
          {
            paidCents: money.paidCents,
            back,
            pin: pinLink(context, facts),
            pass: (await readPass(context, facts.id)) !== null,
            held: (await readCodeHold(context.db, facts.id)) !== null,
          },
        )
      : null,
  );
  return 'done';
}

/** Mails the customer that staff refund a part of the payment. */
async function sendRefund(context: BookingMailContext, job: Job<z.output<typeof refundSchema>>): Promise<JobOutcome> {
  const { cents, byHandCents } = job.payload;
  const back = { cardCents: cents - byHandCents, handCents: byHandCents };
  await sendBookingMail(context, job, (booking) => Promise.resolve(refundMail(booking, back)));
  return 'done';
}
const refundSchema = z.object({ cents: z.number(), byHandCents: z.number().default(0) });

/** Mails the customer that a payment came too late and is refunded. */
async function sendPaymentReturned(context: BookingMailContext, job: Job): Promise<JobOutcome> {
  await sendBookingMail(context, job, async (booking, facts) => {
    const cents = await returnedCents(context.db, facts.id);
    if (facts.movesBooking === null) return paymentReturnedMail(await withOrder(context, booking, facts), cents);
    const kept = (await readBooking(context.db, facts.movesBooking))?.status === 'confirmed';
    return movePaymentReturnedMail(booking, hoursOf(facts), cents, kept);
  });
  return 'done';
}

/** Mails the customer that the payment takes days. Sends nothing once it has ended: another mail gives the result. */
async function sendPaymentProcessing(context: BookingMailContext, job: Job): Promise<JobOutcome> {
  await sendBookingMail(context, job, async (booking, facts) => {
    if (facts.status !== 'pending') return null;
    return facts.movesBooking === null
      ? paymentProcessingMail(await withOrder(context, booking, facts))
      : moveProcessingMail(booking, hoursOf(facts), facts.finalCostCents);
  });
  return 'done';
}

/** Mails the customer that the payment failed and the hours are free again. */
async function sendPaymentFailed(context: BookingMailContext, job: Job): Promise<JobOutcome> {
  await sendBookingMail(context, job, async (booking, facts) => {
    if (facts.movesBooking !== null) return moveEndedMail(booking, hoursOf(facts), 'failed');
    const late = (await latestPayment(context.db, facts.id))?.state === 'processing';
    return paymentFailedMail(await withOrder(context, booking, facts), late, `${context.siteUrl}/booking`);
  });
  return 'done';
}

/** States of a payment that is or will be refunded. */
const RETURNED: readonly PaymentFacts['state'][] = ['refund_pending', 'refunded', 'refund_failed', 'refund_manual'];

/** What the mail of a cancellation says about the money of all payments of the booking. */
async function cancellationMoney(db: Database, bookingId: string): Promise<MoneyBack & { paid: boolean }> {
  const row = await db.one<{ paid: boolean; cardCents: number; handCents: number; decidedCents: number | null }>(
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

/** What goes back of a payment for hours that could not be given. */
async function returnedCents(db: Database, bookingId: string): Promise<number> {
  const payment = await latestPayment(db, bookingId);
  if (payment === null || !RETURNED.includes(payment.state)) return 0;
  const others = await db.one<{ cents: number }>(
    'select coalesce(sum(paid_cents), 0)::int as cents from private.payment where share_of = $1::uuid and id <> $1::uuid',
    [payment.id],
  );
  return takenCents(payment) + (others?.cents ?? 0);
}

export const sendConfirmationJob = defineJob({
  kind: 'mail.booking-confirmed',
  worker: 'mail',
  handle: ({ mails }: MailServices, job) => sendConfirmation(mails, job),
});

export const sendCancellationJob = defineJob({
  kind: 'mail.booking-cancelled',
  worker: 'mail',
  payload: z.object({ because: z.string().optional() }),
  handle: ({ mails }: MailServices, job) => sendCancellation(mails, job),
});

export const sendMoveJob = defineJob({
  kind: 'mail.booking-moved',
  worker: 'mail',
  payload: beforeSchema,
  handle: ({ mails }: MailServices, job) => sendMove(mails, job),
});

export const sendRefundJob = defineJob({
  kind: 'mail.refund',
  worker: 'mail',
  payload: refundSchema,
  handle: ({ mails }: MailServices, job) => sendRefund(mails, job),
});

export const sendPaymentReturnedJob = defineJob({
  kind: 'mail.payment-returned',
  worker: 'mail',
  handle: ({ mails }: MailServices, job) => sendPaymentReturned(mails, job),
});

export const sendPaymentProcessingJob = defineJob({
  kind: 'mail.payment-processing',
  worker: 'mail',
  handle: ({ mails }: MailServices, job) => sendPaymentProcessing(mails, job),
});

export const sendPaymentFailedJob = defineJob({
  kind: 'mail.payment-failed',
  worker: 'mail',
  handle: ({ mails }: MailServices, job) => sendPaymentFailed(mails, job),
});
