import { z } from 'zod';
import { reminderMail, reminderTextMessage } from '#server/mails/sessions/reminder.ts';
import { callSql } from '../core/call-sql.ts';
import { readCodeHold } from '../access/code-hold.ts';
import { type BookingFacts, readBooking } from '../core/booking-rows.ts';
import { URGENT_WAIT_MS, defineJob, type Job, type JobOutcome } from '../core/jobs.ts';
import { codeForMail } from './code-for-mail.ts';
import { forMail, pinLink, sendBookingMail } from './booking-mail.ts';
import type { Services } from '../core/services.ts';

/** Periodic task: queues the reminders that are due. */
export async function queueReminders({ db, clock, texts }: Services): Promise<void> {
  await callSql(db, 'queue_reminders', { p_now: clock(), p_texts: texts !== null });
}

const payloadSchema = z.object({ startTime: z.coerce.date() });
type ReminderJob = Job<z.output<typeof payloadSchema>>;
/** Returns whether the booking still starts at the time in the job, and that time is in the future. */
function isCurrent(facts: BookingFacts | null, job: ReminderJob, now: Date): facts is BookingFacts {
  const { startTime } = job.payload;
  const start = facts === null ? null : facts.startTime;
  return facts?.status === 'confirmed' && start?.getTime() === startTime.getTime() && start > now;
}

/**
 * Job `mail.reminder`: on the day before the session, mails the customer where and when it is and how to get in. Sends nothing if the
 * booking has been moved or cancelled in the meantime.
 */
export async function sendReminder(services: Services, job: ReminderJob): Promise<JobOutcome> {
  await sendBookingMail(services, job, async (booking, facts) => {
    if (!isCurrent(facts, job, services.clock()) || !(await wants(services, facts, 'remind_by_email'))) return null;
    const links = {
      pin: pinLink(services, facts),
      account: facts.userId === null ? null : `${services.siteUrl}/profile`,
    };
    return reminderMail(booking, links, await codeForMail(services, facts));
  });
  return 'done';
}

/** Job `text.reminder`: two hours before the session, sends a one-line reminder to the confirmed phone number of the account. */
export async function sendTextReminder(services: Services, job: ReminderJob): Promise<JobOutcome> {
  const { db, texts, clock, siteUrl, business } = services;
  const facts = await readBooking(db, job.subjectId);
  if (texts === null || !isCurrent(facts, job, clock()) || !(await wants(services, facts, 'remind_by_text')))
    return 'done';
  const row = await db.queryRow<{ phone: string }>(
    'select phone from auth.users where id = $1::uuid and phone is not null and phone_confirmed_at is not null and deleted_at is null',
    [facts.userId],
  );
  if (row === null) return 'done';
  const held = (await readCodeHold(db, facts.id)) !== null;
  const text = reminderTextMessage(forMail(facts, null, business()), `${siteUrl}/bookings`, held);
  await texts.send({ to: `+${row.phone}`, text, key: `job-${job.id}` });
  return 'done';
}

/** Returns whether the customer has this reminder switched on. Always true for a guest, who has no settings. */
async function wants(
  { db }: Services,
  { userId }: BookingFacts,
  setting: 'remind_by_email' | 'remind_by_text',
): Promise<boolean> {
  if (userId === null) return true;
  const row = await db.queryRow<{ on: boolean }>(
    `select ${setting} as on from public.profiles where user_id = $1::uuid`,
    [userId],
  );
  return row?.on === true;
}

export const sendReminderJob = defineJob({
  kind: 'mail.reminder',
  title: 'Reminder email',
  worker: 'mail',
  alerts: 'once',
  payload: payloadSchema,
  handle: (services, job) => sendReminder(services, job),
});

export const sendTextReminderJob = defineJob({
  kind: 'text.reminder',
  title: 'Reminder text message',
  worker: 'texts',
  longestWaitMs: URGENT_WAIT_MS,
  alerts: 'once',
  payload: payloadSchema,
  handle: (services, job) => sendTextReminder(services, job),
});
