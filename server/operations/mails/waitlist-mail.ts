import { bookingQuery } from '#rules/finding/booking-link.ts';
import { slotsOfSpan } from '#rules/slots.ts';
import { freeHoursMail, waitlistMail } from '#server/mails/waitlist.ts';
import { isAddressRefused } from '#server/providers/call.ts';
import { URGENT_WAIT_MS, defineJob, type Job, type JobOutcome } from '../core/jobs.ts';
import type { Services } from '../core/services.ts';

/**
 * Asks a customer on the wait list to book the hours held for them, or notifies them that hours are free. Sends nothing if the claim has
 * ended. Throws `ProviderError`.
 */
async function sendWaitlistMail({ db, mail, business, siteUrl, clock }: Services, job: Job): Promise<JobOutcome> {
  const entry = await db.queryRow<{
    email: string;
    name: string | null;
    studioId: string;
    studioName: string;
    start: Date;
    end: Date;
    until: Date | null;
  }>(
    `select u.email, p.full_name as name, e.studio_id as "studioId", s.name as "studioName", e.start_time as start, e.end_time as "end",
       case when e.state = 'asked' then e.claim_until end as until
     from public.waitlist_entries e join public.studios s on s.id = e.studio_id
     join auth.users u on u.id = e.user_id and u.deleted_at is null and u.email is not null left join public.profiles p on p.user_id = e.user_id
     where e.id = $1::uuid and (e.state = 'asked' and e.claim_until > $2::timestamptz or e.state = 'told' and e.start_time > $2::timestamptz)`,
    [job.subjectId, clock()],
  );
  if (entry === null) return 'done';
  const { studioId, start, end, until } = entry;
  const links = {
    book: `${siteUrl}/booking${bookingQuery({ studioId, slots: slotsOfSpan(start, end) ?? [] })}`,
    entries: `${siteUrl}/bookings`,
  };
  try {
    const firstName = entry.name?.split(' ')[0] ?? null;
    const message =
      until === null
        ? freeHoursMail(business(), entry, firstName, links.book)
        : waitlistMail(business(), { ...entry, until }, firstName, links);
    await mail.send({ to: entry.email, ...message, key: `job-${job.id}` });
  } catch (error) {
    if (isAddressRefused(error)) return { closed: 'The mail server refused the address.' };
    throw error;
  }
  return 'done';
}

export const sendWaitlistMailJob = defineJob({
  kind: 'mail.waitlist',
  title: 'Wait list email',
  worker: 'mail',
  longestWaitMs: URGENT_WAIT_MS,
  alerts: 'once',
  handle: (services, job) => sendWaitlistMail(services, job),
});
