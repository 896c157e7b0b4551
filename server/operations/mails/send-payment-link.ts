import { paymentLinkMail } from '#server/mails/booking.ts';
import { CIRCUIT_OPEN, ProviderError } from '#server/providers/call.ts';
import { latestPayment } from '../core/booking-rows.ts';
import type { Job, JobOutcome } from '../core/jobs.ts';
import { openSession, type SessionContext } from '../payments/open-session.ts';
import { type BookingMailContext, sendBookingMail } from './booking-mail.ts';

/**
 * Mails the link to pay for a booking that staff made, and opens its payment session when that has not happened yet. Sends nothing once the
 * booking is paid for or released. Throws `ProviderError`.
 */
export async function sendPaymentLink(
  context: BookingMailContext,
  sessions: SessionContext,
  job: Job,
): Promise<JobOutcome> {
  await sendBookingMail(context, job, async (booking, facts, email) => {
    const payment = await latestPayment(context.db, facts.id);
    if (facts.holdExpiresAt === null) return null;
    if (payment?.state !== 'intent' && payment?.state !== 'open') return null;
    const pay = await openSession(sessions, facts, payment, { email, hours: booking.hours });
    if (pay === null) throw new ProviderError('stripe', CIRCUIT_OPEN, { retryable: true });
    return paymentLinkMail(booking, {
      pay,
      until: new Date(facts.holdExpiresAt),
      terms: `${context.siteUrl}/terms`,
    });
  });
  return 'done';
}
