import { adultFrom, UNDER_AGE } from '#rules/identity.ts';
import { constants } from '#rules/venue.ts';
import { idApprovedMail, idRefusedMail, idRetakeMail, reviewWaitingMail } from '#server/mails/identity.ts';
import type { Letterhead, Mail as Message } from '#server/mails/layout.ts';
import { defineJob, type Job, type JobOutcome } from '../core/jobs.ts';
import type { Services } from '../core/services.ts';

type DecidedId = {
  readonly email: string;
  readonly name: string | null;
  readonly decision: 'approve' | 'refuse' | 'retake';
  readonly reasons: readonly string[];
  readonly expiresAt: Date | null;
  readonly born: string | null;
};

/** Mails the customer the decision of staff about an ID. Sends nothing if the decision no longer applies, for example after a change of name. */
async function sendIdDecision({ db, mail, siteUrl, business }: Services, job: Job): Promise<JobOutcome> {
  const decided = await db.queryRow<DecidedId>(
    `select u.email, p.full_name as name, r.decision, v.failure_reasons as reasons, v.expires_at as "expiresAt", v.extracted_dob as born
     from private.id_review r
     join public.id_verifications v on v.id = r.verification_id and v.verification_status in ('verified', 'failed')
     join auth.users u on u.id = v.user_id and u.deleted_at is null
     left join public.profiles p on p.user_id = u.id
     where r.verification_id = $1::uuid`,
    [job.subjectId],
  );
  if (decided !== null)
    await mail.send({ to: decided.email, ...decisionMail(business(), decided, siteUrl), key: `job-${job.id}` });
  return 'done';
}

function decisionMail(
  from: Letterhead,
  { decision, name, reasons, expiresAt, born }: DecidedId,
  siteUrl: string,
): Message {
  const firstName = name?.split(' ')[0] ?? null;
  const profile = `${siteUrl}/profile`;
  if (decision === 'retake') return idRetakeMail(from, firstName, reasons, profile);
  if (decision === 'approve' && expiresAt !== null)
    return idApprovedMail(from, firstName, expiresAt, `${siteUrl}/booking`);
  const isMinor = born !== null && reasons.includes(UNDER_AGE);
  return idRefusedMail(from, firstName, reasons, isMinor ? adultFrom(born) : null, profile);
}

/** Mails a member of staff how many IDs wait for review. Sends nothing if none does any more, or the account has lost the permission. */
async function sendReviewWaiting({ db, mail, clock, siteUrl, business }: Services, job: Job): Promise<JobOutcome> {
  const staff = await db.queryRow<{ email: string }>(
    `select u.email from auth.users u where u.id = $1::uuid and u.deleted_at is null and exists (
       select from public.staff_permissions p where p.user_id = u.id and p.permission in ('identity', 'owner'))`,
    [job.subjectId],
  );
  const waiting = await db.queryRow<{ count: number; oldest: Date; start: Date | null; end: Date | null }>(
    `select count(distinct v.id)::int as count, min(v.created_at) as oldest, min(b.start_time) as start, (array_agg(b.end_time order by b.start_time))[1] as "end"
     from public.id_verifications v
     left join private.booking b on b.user_id = v.user_id and b.status in ('pending', 'confirmed') and b.start_time > $1::timestamptz
     where v.verification_status = 'review' having count(*) > 0`,
    [clock()],
  );
  if (staff === null || waiting === null) return 'done';
  const { count, oldest, start, end } = waiting;
  const decideBy = new Date(oldest.getTime() + constants.idReviewDays * 86_400_000);
  const session = start === null || end === null ? null : { start, end };
  const message = reviewWaitingMail(business(), { count, decideBy, session }, siteUrl);
  await mail.send({ to: staff.email, ...message, key: `job-${job.id}` });
  return 'done';
}

export const sendIdDecisionJob = defineJob({
  kind: 'mail.id-decision',
  title: 'ID decision email',
  worker: 'mail',
  handle: (services, job) => sendIdDecision(services, job),
});

export const sendReviewWaitingJob = defineJob({
  kind: 'mail.review-waiting',
  title: 'ID review email to staff',
  worker: 'alerts',
  handle: (services, job) => sendReviewWaiting(services, job),
});
