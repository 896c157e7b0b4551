import { bookingQuery } from '#rules/finding/booking-link.ts';
import { slotsOfSpan } from '#rules/slots.ts';
import { waitlistMail } from '#server/mails/waitlist.ts';
import { isAddressRefused } from '#server/providers/call.ts';
import type { Job, JobOutcome } from '../core/jobs.ts';
import type { BookingMailContext } from './booking-mail.ts';

/** Asks somebody on the wait list to book the hours that are held for them; nothing when the claim has ended. Throws `ProviderError`. */
export async function sendWaitlistMail(
  { db, mail, business, siteUrl, clock }: Pick<BookingMailContext, 'db' | 'mail' | 'business' | 'siteUrl' | 'clock'>,
  job: Job,
): Promise<JobOutcome> {
  const entry = await db.one<{
    email: string;
    name: string | null;
    studioId: string;
    studioName: string;
    start: Date;
    end: Date;
    until: Date;
  }>(
    `select u.email, p.full_name as name, e.studio_id as "studioId", s.name as "studioName", e.start_time as start, e.end_time as "end",
       e.claim_until as until
     from public.waitlist_entries e join public.studios s on s.id = e.studio_id
     join auth.users u on u.id = e.user_id and u.deleted_at is null and u.email is not null left join public.profiles p on p.user_id = e.user_id
     where e.id = $1::uuid and e.state = 'asked' and e.claim_until > $2::timestamptz`,
    [job.subjectId, clock()],
  );
  if (entry === null) return 'done';
  const { studioId, start, end } = entry;
  const links = {
    book: `${siteUrl}/booking${bookingQuery({ studioId, slots: slotsOfSpan(start, end) ?? [] })}`,
    entries: `${siteUrl}/bookings`,
  };
  try {
    const message = waitlistMail(business(), entry, entry.name?.split(' ')[0] ?? null, links);
    await mail.send({ to: entry.email, ...message, key: `job-${job.id}` });
  } catch (error) {
    if (isAddressRefused(error)) return { closed: 'The mail server refused the address.' };
    throw error;
  }
  return 'done';
}
