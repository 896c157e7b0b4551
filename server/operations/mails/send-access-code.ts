import { z } from 'zod';
import type { Database } from '#server/db/database.ts';
import { accessCodeMail } from '#server/mails/sessions/access-code.ts';
import { codeHeldMail, codeHeldStaffMail } from '#server/mails/sessions/code-held.ts';
import { readCodeHold } from '../access/code-hold.ts';
import { showAccess } from '../access/show-access.ts';
import { readBooking } from '../core/booking-rows.ts';
import { URGENT_WAIT_MS, defineJob, type Job, type JobOutcome } from '../core/jobs.ts';
import { isHeldForUndo, UNDO_RETRY_MS } from '../core/undo-hold.ts';
import { pinLink, sendBookingMail, toHours } from './booking-mail.ts';
import type { Services } from '../core/services.ts';

/** Delay before the mail is tried again while the lock has not answered. */
const CODE_RETRY_MS = 5_000;

/** Mails the access code of a confirmed booking, once the lock has issued it. The job is closed if the session ends first. */
async function sendAccessCode(services: Services, job: Job): Promise<JobOutcome> {
  const { db, clock } = services;
  const facts = await readBooking(db, job.subjectId);
  if (facts?.status !== 'confirmed') {
    await markScheduled(db, job, 'cancelled', clock());
    return 'done';
  }
  if (clock() >= facts.endTime) {
    await markScheduled(db, job, 'cancelled', clock());
    return { closed: 'The session ended before the access code could be emailed.' };
  }
  if (await isHeldForUndo(db, job.subjectId, clock())) return { retryAt: new Date(clock().getTime() + UNDO_RETRY_MS) };
  const { pin, held, worksFrom, worksUntil, singleUse } = await showAccess(services, job.subjectId);
  if (held) {
    // A new mail is queued when the code is released.
    await markScheduled(db, job, 'cancelled', clock());
    return 'done';
  }
  if (!pin) return { retryAt: new Date(clock().getTime() + CODE_RETRY_MS) };
  await sendBookingMail(services, job, async (booking, about) =>
    accessCodeMail(booking, { pin, worksFrom, worksUntil, singleUse, link: pinLink(services, about) }),
  );
  await markScheduled(db, job, 'sent', clock());
  return 'done';
}

/**
 * Job `mail.code-held`: tells the customer whom to call while a dispute holds the code. Sends nothing if the code is no longer held, or the
 * session has ended.
 */
async function sendCodeHeld(services: Services, job: Job): Promise<JobOutcome> {
  await sendBookingMail(services, job, async (booking, about) => {
    const isAhead = about.status === 'confirmed' && services.clock() < booking.end;
    if (!isAhead || (await readCodeHold(services.db, about.id)) === null) return null;
    return codeHeldMail(booking, pinLink(services, about));
  });
  return 'done';
}

/**
 * Job `mail.code-held-staff`: notifies a member of staff that a dispute holds a code. Sends nothing if the account has lost the permission,
 * or the code is no longer held.
 */
async function sendCodeHeldToStaff(services: Services, job: Job<{ staff: string }>): Promise<JobOutcome> {
  const { db, mail, clock, siteUrl, business } = services;
  const staff = await db.queryRow<{ email: string }>(
    `select u.email from auth.users u where u.id = $1::uuid and u.deleted_at is null and exists (
       select from public.staff_permissions p where p.user_id = u.id and p.permission in ('money', 'owner'))`,
    [job.payload.staff],
  );
  const booking = await readBooking(db, job.subjectId);
  const isAhead = booking?.status === 'confirmed' && clock() < booking.endTime;
  if (staff === null || !isAhead || (await readCodeHold(db, booking.id)) === null) return 'done';
  const message = codeHeldStaffMail(
    business(),
    { id: booking.id, reference: booking.reference, ...toHours(booking) },
    siteUrl,
  );
  await mail.send({ to: staff.email, ...message, key: `job-${job.id}` });
  return 'done';
}

/** Records the result in the rows shown to staff. */
async function markScheduled(db: Database, job: Job, status: 'sent' | 'cancelled', now: Date): Promise<void> {
  await db.query(
    `update public.scheduled_emails set status = $2, sent_at = case when $2 = 'sent' then $3::timestamptz end where booking_id = $1::uuid and status in ('pending', 'pending_immediate')`,
    [job.subjectId, status, now],
  );
}

export const sendAccessCodeJob = defineJob({
  kind: 'mail.access-code',
  title: 'Access code email',
  worker: 'mail',
  longestWaitMs: URGENT_WAIT_MS,
  handle: (services, job) => sendAccessCode(services, job),
});

export const sendCodeHeldJob = defineJob({
  kind: 'mail.code-held',
  title: 'Code on hold email',
  worker: 'mail',
  longestWaitMs: URGENT_WAIT_MS,
  handle: (services, job) => sendCodeHeld(services, job),
});

export const sendCodeHeldToStaffJob = defineJob({
  kind: 'mail.code-held-staff',
  title: 'Code on hold email to staff',
  worker: 'alerts',
  longestWaitMs: URGENT_WAIT_MS,
  payload: z.object({ staff: z.uuid() }),
  handle: (services, job) => sendCodeHeldToStaff(services, job),
});
