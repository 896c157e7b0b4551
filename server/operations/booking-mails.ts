import {
  accessCodeMail,
  bookingCancelledMail,
  bookingConfirmedMail,
  type BookingForMail,
  type MailWithCalendar,
  paymentFailedMail,
  paymentProcessingMail,
  paymentReturnedMail,
} from '#server/mails/booking.ts';
import type { Database } from '#server/db/database.ts';
import type { Clock } from '#server/http/caller.ts';
import type { Mail } from '#server/providers/ports.ts';
import type { AccessContext } from './access/context.ts';
import { showAccess } from './access/show-access.ts';
import { type BookingFacts, latestPayment, type PaymentFacts, readBooking } from './core/booking-rows.ts';
import { freeCancelHours } from './bookings/cancel.ts';
import { failpoint } from './core/failpoint.ts';
import { refundCents } from './payments/payment-rows.ts';
import type { Job, JobHandler } from './core/jobs.ts';
import type { LinkSigner } from '#server/crypto/link-signer.ts';
import { Refusal } from './core/refusal.ts';

/** The purpose of the signed link to a booking's code page. */
export const PIN_LINK = 'pin-page';

/** How soon the code mail is tried again while the lock has not answered. */
const CODE_RETRY_MS = 5_000;

/** States of a payment that is or will be refunded. */
const RETURNED: readonly PaymentFacts['state'][] = ['refund_pending', 'refunded', 'refund_failed', 'refund_manual'];

/** Handlers for the mails of a booking. Each reads recipient and content when it sends, so that nothing stale goes out. */
export function createBookingMails(context: {
  db: Database;
  mail: Mail;
  access: AccessContext;
  links: LinkSigner;
  clock: Clock;
  siteUrl: string;
}): Record<
  | 'mail.booking-confirmed'
  | 'mail.booking-cancelled'
  | 'mail.payment-returned'
  | 'mail.payment-processing'
  | 'mail.payment-failed'
  | 'mail.access-code',
  JobHandler
> {
  const { db, mail, access, links, clock, siteUrl } = context;

  async function recipient(booking: BookingFacts): Promise<{ email: string; firstName: string | null } | null> {
    if (booking.userId === null) return null;
    const row = await db.one<{ email: string; name: string | null }>(
      `select u.email, p.full_name as name from auth.users u left join public.profiles p on p.user_id = u.id where u.id = $1::uuid and u.deleted_at is null`,
      [booking.userId],
    );
    return row ? { email: row.email, firstName: row.name?.split(' ')[0] ?? null } : null;
  }

  /** Sends a mail about the job's booking; does nothing when it has no recipient. */
  async function send(
    job: Job,
    compose: (booking: BookingForMail, facts: BookingFacts) => Promise<MailWithCalendar | null>,
  ): Promise<void> {
    const facts = await readBooking(db, job.subjectId);
    const to = facts ? await recipient(facts) : null;
    if (!facts || !to) return;
    const message = await compose(forMail(facts, to.firstName), facts);
    if (!message) return;
    failpoint(`mail.before.${job.kind}`);
    await mail.send({ to: to.email, ...message, key: `job-${job.id}` });
    failpoint(`mail.after.${job.kind}`);
  }

  const pinLink = (booking: BookingFacts): string =>
    `${siteUrl}/regenerate-pin?booking_id=${booking.id}&token=${links.sign(PIN_LINK, booking.id, new Date(booking.endTime))}`;

  async function refundedCents(bookingId: string): Promise<number> {
    const payment = await latestPayment(db, bookingId);
    return payment?.kind === 'card' && RETURNED.includes(payment.state) ? refundCents(db, payment) : 0;
  }

  return {
    async 'mail.booking-confirmed'(job) {
      await send(job, async (booking, facts) => {
        const shown = await showAccess(access, facts.id).catch((error: unknown) => {
          if (error instanceof Refusal) return null; // no access yet: name the start instead
          throw error; // try the mail again instead of naming a wrong time
        });
        return bookingConfirmedMail(
          booking,
          { pin: pinLink(facts), account: `${siteUrl}/profile` },
          shown?.worksFrom ?? booking.start,
          await freeCancelHours(db, facts.id),
        );
      });
      return 'done';
    },
    async 'mail.booking-cancelled'(job) {
      await send(job, async (booking, facts) => bookingCancelledMail(booking, await refundedCents(facts.id)));
      return 'done';
    },
    async 'mail.payment-returned'(job) {
      await send(job, async (booking, facts) => paymentReturnedMail(booking, await refundedCents(facts.id)));
      return 'done';
    },
    async 'mail.payment-processing'(job) {
      // Skip it once the payment has ended: another mail tells the result.
      await send(job, async (booking, facts) => (facts.status === 'pending' ? paymentProcessingMail(booking) : null));
      return 'done';
    },
    async 'mail.payment-failed'(job) {
      await send(job, async (booking, facts) => {
        const late = (await latestPayment(db, facts.id))?.state === 'processing';
        return paymentFailedMail(booking, late, `${siteUrl}/booking`);
      });
      return 'done';
    },
    async 'mail.access-code'(job) {
      const facts = await readBooking(db, job.subjectId);
      const confirmed = facts?.status === 'confirmed';
      const ended = !confirmed || clock().getTime() >= Date.parse(facts.endTime);
      const ready = ended ? null : await showAccess(access, job.subjectId);
      if (!ended && !ready?.pin) return { retryAt: new Date(clock().getTime() + CODE_RETRY_MS) };
      if (ready?.pin) {
        const { pin, worksFrom, worksUntil, singleUse } = ready;
        await send(job, async (booking, about) =>
          accessCodeMail(booking, { pin, worksFrom, worksUntil, singleUse, link: pinLink(about) }),
        );
      }
      await db.query(
        `update public.scheduled_emails set status = $2, sent_at = case when $2 = 'sent' then $3::timestamptz end where booking_id = $1::uuid and status in ('pending', 'pending_immediate')`,
        [job.subjectId, ended ? 'cancelled' : 'sent', clock()],
      );
      return confirmed && ended ? { closed: 'The session ended before the access code could be mailed.' } : 'done';
    },
  };
}

function forMail(facts: BookingFacts, firstName: string | null): BookingForMail {
  return {
    id: facts.id,
    reference: facts.reference,
    studioName: facts.studioName,
    start: new Date(facts.startTime),
    end: new Date(facts.endTime),
    hours: facts.totalHours,
    baseCents: facts.baseCostCents,
    discountCents: facts.discountCents,
    couponDiscountCents: facts.couponDiscountCents,
    totalCents: facts.finalCostCents,
    firstName,
  };
}
