import { z } from 'zod';
import { randomUUID } from 'node:crypto';
import type { Alert } from '#rules/alerts/alerts.ts';
import { takeAlerts } from '#server/queue/alerts.ts';
import { defineJob, enqueue, type Job, type JobOutcome } from '../core/jobs.ts';
import type { Services } from '../core/services.ts';
import { alertMail } from '#server/mails/alert.ts';

const JOBS_PER_MAIL = 200;
const REMIND_AFTER_MS = 24 * 60 * 60_000;

/**
 * Queues one mail per address about jobs that failed three times or are late, and repeats it daily while they fail. No second mail is
 * queued while one is waiting. Failing alert mails raise no alert.
 */
export async function queueJobAlerts(services: Services): Promise<void> {
  const { db, clock } = services;
  const addresses = services.config.alertAddresses;
  if (addresses.length === 0) return;
  await db.transaction(async (tx) => {
    const now = clock();
    const jobs = await takeAlerts(tx, {
      now,
      alertKind: 'mail.job-alert',
      remindAfterMs: REMIND_AFTER_MS,
      max: JOBS_PER_MAIL,
    });
    if (jobs.length === 0) return;
    const batch = randomUUID();
    for (const address of addresses)
      await enqueue(tx, {
        kind: 'mail.job-alert',
        subjectId: batch,
        dedupe: address,
        payload: { to: address, jobs },
        dueAt: now,
      });
  });
}

type AlertedJob = {
  readonly id: string;
  readonly kind: string;
  readonly tries: number;
  readonly since: Date;
  readonly problem: string | null;
  /** Whether the job has been given up. */
  readonly closed: boolean;
  readonly booking_id: string | null;
  readonly reference: string;
  readonly studio_id: string | null;
  readonly studio_name: string | null;
  readonly start_time: Date;
};

/** Sends a queued alert. Does nothing if all its jobs have been done or closed in the meantime. */
async function sendJobAlert(services: Services, job: Job<{ to: string; jobs: string[] }>): Promise<JobOutcome> {
  const { to, jobs } = job.payload;
  const { rows } = await services.db.query<AlertedJob>(
    `select o.id, o.kind, o.tries, o.created_at as since, coalesce(o.close_reason, o.last_error) as problem, o.closed_at is not null as closed,
       b.id as booking_id, b.reference, s.id as studio_id, s.name as studio_name, b.start_time
     from private.outbox o
     left join private.partial_refund x on o.kind = 'payment.partial-refund' and x.id = o.subject_id
     left join private.payment p on p.id = case o.kind when 'payment.refund' then o.subject_id else x.payment_id end
     left join private.booking b on b.id = coalesce(p.booking_id, o.subject_id)
     left join public.studios s on s.id = coalesce(private.room_of_job(o.kind, o.subject_id, o.payload), b.studio_id)
     where o.id = any ($1::uuid[]) and o.done_at is null and o.closed_by is null order by o.created_at`,
    [jobs],
  );
  if (rows.length > 0)
    await services.mail.send({
      to,
      ...alertMail(services.business(), rows.map(toAlert), services.siteUrl),
      key: `job-${job.id}`,
    });
  return 'done';
}

/** Converts a job to the alert that the page Today shows for it. */
function toAlert(job: AlertedJob): Alert {
  const { booking_id: id, reference, studio_name: studioName, start_time: start } = job;
  return {
    kind: job.closed ? 'job_late' : 'job_failing',
    since: job.since,
    due: null,
    job: { id: job.id, kind: job.kind, tries: job.tries },
    problem: job.problem,
    booking: id === null || studioName === null ? null : { id, reference, studioName, start },
    studioId: job.studio_id,
    studioName,
    customer: null,
  };
}

export const sendJobAlertJob = defineJob({
  kind: 'mail.job-alert',
  title: 'Alert email to staff',
  worker: 'alerts',
  alerts: 'never',
  payload: z.object({ to: z.string(), jobs: z.array(z.uuid()) }),
  handle: (services, job) => sendJobAlert(services, job),
});
