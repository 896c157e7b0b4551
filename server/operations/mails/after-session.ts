import { bookingQuery } from '#rules/finding/booking-link.ts';
import { weekLater } from '#rules/finding/week-later.ts';
import { slotsOfSpan } from '#rules/slots.ts';
import { type AnsweredReport, incidentAnswerMail, thanksMail } from '#server/mails/sessions/after-session.ts';
import { isAddressRefused } from '#server/providers/call.ts';
import { callSql } from '../core/call-sql.ts';
import { defineJob, type Job, type JobOutcome } from '../core/jobs.ts';
import { sendBookingMail } from './booking-mail.ts';
import type { Services } from '../core/services.ts';

/** Periodic task: queues the mails after sessions. */
export async function queueThanks({ db, clock }: Services): Promise<void> {
  await callSql(db, 'queue_thanks', { p_now: clock() });
}

/**
 * Job `mail.thanks`: thanks the customer after a session. Sends nothing if the booking has been cancelled, extended or marked as a no-show,
 * or the customer has switched these mails off.
 */
async function sendThanks(services: Services, job: Job): Promise<JobOutcome> {
  const { db, clock, siteUrl } = services;
  await sendBookingMail(services, job, async (booking, facts) => {
    const row = await db.queryRow(
      `select from private.booking b join public.profiles p on p.user_id = b.user_id
       where b.id = $1::uuid and b.status = 'confirmed' and b.end_time <= $2::timestamptz and b.no_show_at is null and p.thank_by_email`,
      [facts.id, clock()],
    );
    if (row === null) return null;
    const slots = weekLater(slotsOfSpan(booking.start, booking.end) ?? [], clock());
    return thanksMail(booking, {
      page: `${siteUrl}/bookings/${booking.reference}`,
      repeat: `${siteUrl}/booking${bookingQuery({ studioId: facts.studioId, slots })}`,
      account: `${siteUrl}/profile`,
    });
  });
  return 'done';
}

/** Job `mail.incident-answer`: mails the latest answer of staff to the customer who made the report. Throws `ProviderError`. */
async function sendIncidentAnswer({ db, mail, business, siteUrl }: Services, job: Job): Promise<JobOutcome> {
  const report = await db.queryRow<AnsweredReport & { email: string; name: string | null }>(
    `select i.kind, b.studio_name as "studioName", b.reference, i.description, i.answer, i.state, i.outcome, u.email, p.full_name as name
     from private.incident i join private.booking b on b.id = i.booking_id
     join auth.users u on u.id = i.customer_id and u.deleted_at is null and u.email is not null left join public.profiles p on p.user_id = i.customer_id
     where i.id = $1::uuid and i.answer is not null`,
    [job.subjectId],
  );
  if (report === null) return 'done';
  const message = incidentAnswerMail(
    business(),
    report,
    report.name?.split(' ')[0] ?? null,
    `${siteUrl}/bookings/${report.reference}`,
  );
  try {
    await mail.send({ to: report.email, ...message, key: `job-${job.id}` });
  } catch (error) {
    if (isAddressRefused(error)) return { closed: 'The mail server refused the address.' };
    throw error;
  }
  return 'done';
}

export const sendThanksJob = defineJob({
  kind: 'mail.thanks',
  title: 'Thank-you email',
  worker: 'mail',
  alerts: 'once',
  handle: (services, job) => sendThanks(services, job),
});

export const sendIncidentAnswerJob = defineJob({
  kind: 'mail.incident-answer',
  title: 'Report answer email',
  worker: 'mail',
  handle: (services, job) => sendIncidentAnswer(services, job),
});
