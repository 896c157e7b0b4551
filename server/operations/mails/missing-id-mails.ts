import { z } from 'zod';
import { cancelledAt } from '#rules/identity.ts';
import type { Database } from '#server/db/database.ts';
import { URGENT_WAIT_MS, defineJob, type Job, type JobOutcome } from '../core/jobs.ts';
import type { Services } from '../core/services.ts';
import { idMissingMail, idNeededMail, idWithdrawnMail } from '#server/mails/missing-id.ts';

type Raised = {
  readonly id: string;
  readonly reference: string;
  readonly studioName: string;
  readonly start: Date;
  readonly end: Date;
  readonly raisedAt: Date;
  readonly email: string | null;
  readonly name: string | null;
};

/**
 * Reads a booking without a valid ID check that staff have been asked about. Null if a decision has been made, the ID has been verified, or
 * the booking is cancelled.
 */
function readRaised(db: Database, bookingId: string): Promise<Raised | null> {
  return db.queryRow<Raised>(
    `select b.id, b.reference, b.studio_name as "studioName", b.start_time as start, b.end_time as end, m.raised_at as "raisedAt",
       u.email, p.full_name as name
     from private.missing_id m join private.booking b on b.id = m.booking_id and b.status = 'confirmed'
     join private.lost_verification l on l.user_id = b.user_id
     left join auth.users u on u.id = b.user_id and u.deleted_at is null left join public.profiles p on p.user_id = b.user_id
     where m.booking_id = $1::uuid and m.kept_at is null`,
    [bookingId],
  );
}

const withDeadline = (raised: Raised) => ({ ...raised, cancelAt: cancelledAt(raised.start, raised.raisedAt) });
const getFirstName = (name: string | null): string | null => name?.split(' ')[0] ?? null;

/** Job `mail.id-needed`: asks the customer to verify an ID again before the session. */
async function sendIdNeeded({ db, mail, siteUrl, business }: Services, job: Job): Promise<JobOutcome> {
  const raised = await readRaised(db, job.subjectId);
  if (raised?.email)
    await mail.send({
      to: raised.email,
      ...idNeededMail(business(), withDeadline(raised), getFirstName(raised.name), `${siteUrl}/profile`),
      key: `job-${job.id}`,
    });
  return 'done';
}

/** Job `mail.id-missing`: notifies a member of staff that a decision is needed. Sends nothing if the account has lost the permission. */
async function sendIdMissing(
  { db, mail, siteUrl, business }: Services,
  job: Job<{ staff: string }>,
): Promise<JobOutcome> {
  const staff = await db.queryRow<{ email: string }>(
    `select u.email from auth.users u where u.id = $1::uuid and u.deleted_at is null and exists (
       select from public.staff_permissions p where p.user_id = u.id and p.permission in ('identity', 'bookings', 'owner'))`,
    [job.payload.staff],
  );
  const raised = staff === null ? null : await readRaised(db, job.subjectId);
  if (staff !== null && raised !== null)
    await mail.send({
      to: staff.email,
      ...idMissingMail(business(), withDeadline(raised), siteUrl),
      key: `job-${job.id}`,
    });
  return 'done';
}

/** Job `mail.id-withdrawn`: explains to the customer why an ID no longer counts. Sends nothing if another ID has been verified in the meantime. */
async function sendIdWithdrawn({ db, mail, siteUrl, business }: Services, job: Job): Promise<JobOutcome> {
  const row = await db.queryRow<{ email: string; name: string | null; reason: string }>(
    `select u.email, p.full_name as name, w.reason
     from private.id_withdrawal w join public.id_verifications v on v.id = w.verification_id
     join private.lost_verification l on l.user_id = v.user_id
     join auth.users u on u.id = v.user_id and u.deleted_at is null left join public.profiles p on p.user_id = u.id
     where w.verification_id = $1::uuid`,
    [job.subjectId],
  );
  if (row !== null)
    await mail.send({
      to: row.email,
      ...idWithdrawnMail(business(), getFirstName(row.name), [row.reason], `${siteUrl}/profile`),
      key: `job-${job.id}`,
    });
  return 'done';
}

export const sendIdWithdrawnJob = defineJob({
  kind: 'mail.id-withdrawn',
  title: 'Withdrawn ID email',
  worker: 'mail',
  handle: (services, job) => sendIdWithdrawn(services, job),
});

export const sendIdNeededJob = defineJob({
  kind: 'mail.id-needed',
  title: 'ID request email',
  worker: 'mail',
  longestWaitMs: URGENT_WAIT_MS,
  handle: (services, job) => sendIdNeeded(services, job),
});

export const sendIdMissingJob = defineJob({
  kind: 'mail.id-missing',
  title: 'Missing ID email to staff',
  worker: 'alerts',
  longestWaitMs: URGENT_WAIT_MS,
  payload: z.object({ staff: z.uuid() }),
  handle: (services, job) => sendIdMissing(services, job),
});
