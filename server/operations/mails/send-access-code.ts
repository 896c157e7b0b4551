import type { Database } from '#server/db/database.ts';
import { accessCodeMail } from '#server/mails/booking.ts';
import { codeHeldMail } from '#server/mails/code-held.ts';
import { readCodeHold } from '../access/code-hold.ts';
import { showAccess } from '../access/show-access.ts';
import { readBooking } from '../core/booking-rows.ts';
import type { Job, JobOutcome } from '../core/jobs.ts';
import { isHeldForUndo, UNDO_RETRY_MS } from '../core/undo-hold.ts';
import { type BookingMailContext, pinLink, sendBookingMail } from './booking-mail.ts';

/** How soon the mail is tried again while the lock has not answered. */
const CODE_RETRY_MS = 5_000;

/** Mails the access code of a confirmed booking, once the lock has given it; too late when the session has ended. */
export async function sendAccessCode(context: BookingMailContext, job: Job): Promise<JobOutcome> {
  const { db, access, clock } = context;
  const facts = await readBooking(db, job.subjectId);
  if (facts?.status !== 'confirmed') {
    await markScheduled(db, job, 'cancelled', clock());
    return 'done';
  }
  if (clock().getTime() >= Date.parse(facts.endTime)) {
    await markScheduled(db, job, 'cancelled', clock());
    return { closed: 'The session ended before the access code could be mailed.' };
  }
  if (await isHeldForUndo(db, job.subjectId, clock())) return { retryAt: new Date(clock().getTime() + UNDO_RETRY_MS) };
  const { pin, held, worksFrom, worksUntil, singleUse } = await showAccess(access, job.subjectId);
  if (held) {
    // Once it is not held any more, a new mail is queued.
    await markScheduled(db, job, 'cancelled', clock());
    return 'done';
  }
  if (!pin) return { retryAt: new Date(clock().getTime() + CODE_RETRY_MS) };
  await sendBookingMail(context, job, async (booking, about) =>
    accessCodeMail(booking, { pin, worksFrom, worksUntil, singleUse, link: pinLink(context, about) }),
  );
  await markScheduled(db, job, 'sent', clock());
  return 'done';
}

/** Job `mail.code-held`: tells the customer whom to call while a dispute holds the code; nothing once it is not held any more, or the session is over. */
export async function sendCodeHeld(context: BookingMailContext, job: Job): Promise<JobOutcome> {
  await sendBookingMail(context, job, async (booking, about) => {
    const isAhead = about.status === 'confirmed' && context.clock() < booking.end;
    if (!isAhead || (await readCodeHold(context.db, about.id)) === null) return null;
    return codeHeldMail(booking, pinLink(context, about));
  });
  return 'done';
}

/** Records the result in the rows that staff see. */
async function markScheduled(db: Database, job: Job, status: 'sent' | 'cancelled', now: Date): Promise<void> {
  await db.query(
    `update public.scheduled_emails set status = $2, sent_at = case when $2 = 'sent' then $3::timestamptz end where booking_id = $1::uuid and status in ('pending', 'pending_immediate')`,
    [job.subjectId, status, now],
  );
}
