import type { Transaction } from '#server/db/database.ts';
import { type Job, type JobKinds, findKind, LONGEST_WAIT_MS, nextTry, type JobStore } from './jobs.ts';

/** Number of failures after which an alert is raised. */
const ALERT_TRIES = 3;

export async function completeJob({ db, clock, kinds }: JobStore, job: Job): Promise<void> {
  if (findKind(kinds, job)?.deletes === true)
    await db.query('delete from private.outbox where id = $1::uuid and done_at is null', [job.id]);
  else
    await db.query(
      'update private.outbox set done_at = $2::timestamptz, last_error = null where id = $1::uuid and done_at is null',
      [job.id, clock()],
    );
}

/** Postpones a job without counting a failure. */
export async function postponeJob({ db }: JobStore, job: Job, lease: string, at: Date): Promise<void> {
  await db.query(
    `update private.outbox set due_at = $3::timestamptz, lease_until = '-infinity', tries = greatest(tries - 1, 0)
     where id = $1::uuid and lease_id = $2::uuid and done_at is null`,
    [job.id, lease, at],
  );
}

/** Closes a job that is too late, and raises an alert, which the next alert mail includes. */
export async function closeJob({ db, clock, log }: JobStore, job: Job, reason: string): Promise<void> {
  log.error(
    { job: job.id, kind: job.kind, tries: job.tries, reason },
    'a job was closed because it is too late to run it; an alert is raised',
  );
  await db.transaction(async (tx) => {
    const { count } = await tx.query(
      `update private.outbox set closed_at = $2::timestamptz, close_reason = $3
       where id = $1::uuid and done_at is null and closed_at is null`,
      [job.id, clock(), reason.slice(0, 500)],
    );
    if (count > 0) await alert(tx, job, { closed: true, reason });
  });
}

/** Deletes a job whose deadline has passed, and raises an alert. Its row holds personal data, so it is not kept for a retry. */
export async function dropJob({ db, log }: JobStore, job: Job): Promise<void> {
  log.error(
    { job: job.id, kind: job.kind, tries: job.tries },
    'a job was dropped because its deadline has passed; an alert is raised',
  );
  await db.transaction(async (tx) => {
    const row = await tx.queryRow<{ last_error: string | null }>(
      'delete from private.outbox where id = $1::uuid and done_at is null returning last_error',
      [job.id],
    );
    if (row) await alert(tx, job, { dropped: true, tries: job.tries, reason: row.last_error ?? 'It was not run.' });
  });
}

/** Counts a failure and schedules the next try after the back-off, but not before `waitMs` have passed. */
export async function failJob(
  { db, clock, log, kinds }: JobStore,
  job: Job,
  lease: string,
  { error, waitMs }: { error: unknown; waitMs: number },
): Promise<void> {
  const reason = error instanceof Error ? error.message : String(error);
  const now = clock();
  const retryAt = nextTry(now, job.tries, job.deadlineAt, findKind(kinds, job)?.longestWaitMs ?? LONGEST_WAIT_MS);
  const dueAt = new Date(Math.max(now.getTime() + waitMs, retryAt.getTime()));
  log.error({ err: error, job: job.id, kind: job.kind, tries: job.tries }, 'a job failed and will be tried again');
  await db.transaction(async (tx) => {
    const before = await tx.queryRow<{ alerted_at: Date | null }>(
      'select alerted_at from private.outbox where id = $1::uuid and lease_id = $2::uuid and done_at is null for update',
      [job.id, lease],
    );
    if (!before) return;
    const alerts = before.alerted_at === null && (await raisesAlert(tx, kinds, job));
    await tx.query(
      `update private.outbox set last_error = $2, lease_until = '-infinity', due_at = $3::timestamptz,
         alerted_at = case when $4::boolean then $5::timestamptz else alerted_at end
       where id = $1::uuid`,
      [job.id, reason.slice(0, 500), dueAt, alerts, now],
    );
    if (alerts) await alert(tx, job, { tries: job.tries, reason });
  });
}

async function raisesAlert(tx: Transaction, kinds: JobKinds, job: Job): Promise<boolean> {
  const alerts = findKind(kinds, job)?.alerts ?? 'each';
  if (job.tries < ALERT_TRIES || alerts === 'never') return false;
  if (alerts === 'each') return true;
  const other = await tx.queryRow(
    'select 1 from private.outbox where kind = $1 and alerted_at is not null and done_at is null and closed_at is null limit 1',
    [job.kind],
  );
  return other === null;
}

async function alert(tx: Transaction, job: Job, more: { reason: string } & Record<string, unknown>): Promise<void> {
  await tx.query(`select private.audit(null, 'alert', 'outbox', $1, $2::jsonb)`, [
    job.id,
    { ...more, kind: job.kind, subject: job.subjectId, reason: more.reason.slice(0, 200) },
  ]);
}
