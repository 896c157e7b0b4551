import { paymentLinkMail } from '#server/mails/booking.ts';
import { moveLinkMail } from '#server/mails/move.ts';
import { CIRCUIT_OPEN, ProviderError } from '#server/providers/call.ts';
import { latestPayment } from '../core/booking-rows.ts';
import { defineJob, type Job, type JobOutcome } from '../core/jobs.ts';
import { openSession } from '../payments/open-session.ts';
import { toHours, sendBookingMail, withSeries } from './booking-mail.ts';
import type { Services } from '../core/services.ts';

/**
 * Mails the payment link for a booking that staff made, or for its new hours, and opens the payment session if it is not open yet. Sends
 * nothing if the booking has been paid for or released. Throws `ProviderError`.
 */
async function sendPaymentLink(services: Services, job: Job): Promise<JobOutcome> {
  await sendBookingMail(services, job, async (booking, facts, email) => {
    const payment = await latestPayment(services.db, facts.id);
    if (facts.holdExpiresAt === null) return null;
    if (payment?.state !== 'intent' && payment?.state !== 'open') return null;
    const pay = await openSession(services, facts, payment, { email, hours: facts.totalHours });
    if (pay === null) throw new ProviderError(services.payments.provider, CIRCUIT_OPEN, { retryable: true });
    const link = { pay, until: facts.holdExpiresAt, terms: `${services.siteUrl}/terms` };
    return facts.movesBooking === null
      ? paymentLinkMail(await withSeries(services, booking, facts), link)
      : moveLinkMail(booking, toHours(facts), { ...link, cents: facts.finalCostCents });
  });
  return 'done';
}

export const sendPaymentLinkJob = defineJob({
  kind: 'mail.payment-link',
  title: 'Payment link email',
  worker: 'mail',
  handle: (services, job) => sendPaymentLink(services, job),
});
