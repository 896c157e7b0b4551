import { z } from 'zod';
import { type AtClosedDoor, doorHelpMail } from '#server/mails/door-help.ts';
import { URGENT_WAIT_MS, defineJob, type Job, type JobOutcome } from '../core/jobs.ts';
import type { Services } from '../core/services.ts';

/**
 * Job `mail.door-help`: notifies a member of staff that a customer stands at a closed door. Sends nothing if another member is already
 * dealing with it, or the account has lost the permission.
 */
async function sendDoorHelp(
  { db, mail, siteUrl, business }: Services,
  job: Job<{ staff: string }>,
): Promise<JobOutcome> {
  const staff = await db.queryRow<{ email: string }>(
    `select u.email from auth.users u where u.id = $1::uuid and u.deleted_at is null and exists (
       select from public.staff_permissions p where p.user_id = u.id and p.permission in ('bookings', 'owner'))`,
    [job.payload.staff],
  );
  const waiting = await db.queryRow<AtClosedDoor>(
    `select i.description, b.reference, b.studio_name as "studioName", b.start_time as start, b.end_time as end,
       coalesce(p.full_name, b.guest_name) as name, coalesce(b.contact_phone, p.phone) as phone
     from private.incident i join private.booking b on b.id = i.booking_id left join public.profiles p on p.user_id = b.user_id
     where i.id = $1::uuid and i.kind = 'door' and i.state = 'open'`,
    [job.subjectId],
  );
  if (staff === null || waiting === null) return 'done';
  await mail.send({
    to: staff.email,
    ...doorHelpMail(business(), waiting, siteUrl),
    key: `job-${job.id}`,
  });
  return 'done';
}

export const sendDoorHelpJob = defineJob({
  kind: 'mail.door-help',
  title: 'Door help email to staff',
  worker: 'alerts',
  longestWaitMs: URGENT_WAIT_MS,
  payload: z.object({ staff: z.uuid() }),
  handle: (services, job) => sendDoorHelp(services, job),
});
