import type { Database } from '#server/db/database.ts';
import type { Clock, Log } from '#server/http/caller.ts';
import { type Job, type JobHandler, LONGEST_WAIT_MS, nextTry } from './jobs.ts';

/** A worker: runs jobs of some kinds, all of one outside system, so that a hanging system delays nothing else. */
export type Worker = {
  readonly name: string;
  readonly kinds: readonly string[];
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly handlers: Readonly<Partial<Record<string, JobHandler>>>;
  /** The most jobs to run at the same time. */
  readonly atOnce: number;
  /** How many jobs may start now; 0 while the outside system is down. Default: any number. */
  readonly room?: () => number;
  /** For an error that is not about the job itself: how long to postpone it, in milliseconds, without counting a failure; else null. */
  readonly postpone?: (error: unknown) => number | null;
  /** The longest wait between two tries, in milliseconds. */
  readonly longestWaitMs?: (kind: string) => number;
  /** Called before and after each job; tests stop the process there. */
  readonly checkpoint?: (name: string) => void;
  /** Kinds that never raise an alert, because they deliver alerts. */
  readonly silentKinds?: readonly string[];
  readonly heartbeatMs?: number;
  /** The jobs this process is running: id to lease. Maintained by the worker. */
  readonly running: Map<string, string>;
};

/** How long a lease lasts after its last renewal. */
export const LEASE_SECONDS = 30;
const HEARTBEAT_MS = 10_000;
/** A round claims no more jobs after this time. */
export const ROUND_BUDGET_MS = 20_000;
/** The failure from which on an alert is raised. */
export const ALERT_TRIES = 3;

type Row = {
  id: string;
  kind: string;
  subject_id: string;
  payload: Record<string, unknown>;
  due_at: Date;
  deadline_at: Date | null;
  tries: number;
  lease_id: string;
};

/** Runs due jobs until none is left, the time budget is used up or `stop()` is true. Returns how many ran. */
export async function runRound(worker: Worker, stop: () => boolean = () => false): Promise<number> {
  const heartbeat = setInterval(() => void renewLeases(worker), worker.heartbeatMs ?? HEARTBEAT_MS);
  try {
    return await drain(worker, stop);
  } finally {
    clearInterval(heartbeat);
  }
}

async function drain(worker: Worker, stop: () => boolean): Promise<number> {
  const end = performance.now() + ROUND_BUDGET_MS;
  let ran = 0;
  while (!stop() && performance.now() < end) {
    const rows = await claim(worker);
    if (rows.length === 0) break;
    ran += rows.length;
    await Promise.all(rows.map((row) => run(worker, row)));
  }
  return ran;
}

async function claim(worker: Worker): Promise<readonly Row[]> {
  const room = Math.min(worker.atOnce, worker.room?.() ?? worker.atOnce);
  if (room <= 0) return [];
  const { rows } = await worker.db.query<Row>(
    'select * from private.claim_jobs($1::text[], $2::timestamptz, $3::int, $4::numeric, $5::uuid[])',
    [worker.kinds, worker.clock(), room, LEASE_SECONDS, [...worker.running.keys()]],
  );
  for (const row of rows) worker.running.set(row.id, row.lease_id);
  return rows;
}

/** Renews the leases of running jobs. Never throws: a lease that cannot be renewed expires. */
export async function renewLeases(worker: Worker): Promise<void> {
  const held = [...worker.running];
  if (held.length === 0) return;
  try {
    await worker.db.query(
      `update private.outbox o set lease_until = $3::timestamptz
       from unnest($1::uuid[], $2::uuid[]) as held(id, lease) where o.id = held.id and o.lease_id = held.lease and o.done_at is null`,
      [
        held.map(([id]) => id),
        held.map(([, lease]) => lease),
        new Date(worker.clock().getTime() + LEASE_SECONDS * 1000),
      ],
    );
  } catch (error) {
    worker.log.error({ err: error, worker: worker.name }, 'leases could not be renewed');
  }
}

async function run(worker: Worker, row: Row): Promise<void> {
  const job: Job = {
    id: row.id,
    kind: row.kind,
    subjectId: row.subject_id,
    payload: row.payload,
    dueAt: row.due_at,
    deadlineAt: row.deadline_at,
    tries: row.tries,
  };
  try {
    worker.checkpoint?.(`outbox.before.${job.kind}`);
    await settle(worker, job, row.lease_id);
  } catch (error) {
    // The outcome could not be stored: the lease expires and the job runs again.
    worker.log.error({ err: error, job: job.id, kind: job.kind }, 'the outcome of a job could not be written');
  } finally {
    worker.running.delete(row.id);
  }
}

async function settle(worker: Worker, job: Job, lease: string): Promise<void> {
  const handler = worker.handlers[job.kind];
  let outcome: Awaited<ReturnType<JobHandler>>;
  try {
    if (!handler) throw new Error(`no handler for jobs of the kind ${job.kind}`);
    outcome = await handler(job);
  } catch (error) {
    const wait = worker.postpone?.(error) ?? null;
    // A job that has failed before keeps counting: otherwise an outage could postpone it forever without an alert.
    if (wait === null || job.tries > 1) return failed(worker, job, lease, error, wait ?? 0);
    return postpone(worker, job, lease, new Date(worker.clock().getTime() + wait));
  }
  worker.checkpoint?.(`outbox.after.${job.kind}`);
  if (outcome === 'done')
    return void (await worker.db.query(
      'update private.outbox set done_at = $2::timestamptz, last_error = null where id = $1::uuid and done_at is null',
      [job.id, worker.clock()],
    ));
  if ('closed' in outcome) return close(worker, job, outcome.closed);
  return postpone(worker, job, lease, outcome.retryAt);
}

/** Postpones a job without counting a failure. */
async function postpone(worker: Worker, job: Job, lease: string, at: Date): Promise<void> {
  await worker.db.query(
    `update private.outbox set due_at = $3::timestamptz, lease_until = '-infinity', tries = greatest(tries - 1, 0)
     where id = $1::uuid and lease_id = $2::uuid and done_at is null`,
    [job.id, lease, at],
  );
}

/** Closes a job that is too late, and raises an alert, which the next alert mail includes. */
async function close(worker: Worker, job: Job, reason: string): Promise<void> {
  worker.log.error(
    { job: job.id, kind: job.kind, tries: job.tries, reason },
    'a job was closed because it is too late to run it',
  );
  await worker.db.transaction(async (tx) => {
    const { count } = await tx.query(
      `update private.outbox set closed_at = $2::timestamptz, close_reason = $3
       where id = $1::uuid and done_at is null and closed_at is null`,
      [job.id, worker.clock(), reason.slice(0, 500)],
    );
    if (count > 0) await alert(tx, job, { closed: true, reason });
  });
}

/** Counts a failure and schedules the next try after the back-off, at the earliest after `waitMs`. */
async function failed(worker: Worker, job: Job, lease: string, error: unknown, waitMs: number): Promise<void> {
  const reason = error instanceof Error ? error.message : String(error);
  const longest = worker.longestWaitMs?.(job.kind) ?? LONGEST_WAIT_MS;
  const now = worker.clock();
  const earliest = now.getTime() + waitMs;
  const dueAt = new Date(Math.max(earliest, nextTry(now, job.tries, job.deadlineAt, longest).getTime()));
  worker.log.error(
    { err: error, job: job.id, kind: job.kind, tries: job.tries },
    'a job failed and will be tried again',
  );
  const shouldAlert = job.tries >= ALERT_TRIES && worker.silentKinds?.includes(job.kind) !== true;
  await worker.db.transaction(async (tx) => {
    const before = await tx.one<{ alerted_at: Date | null }>(
      'select alerted_at from private.outbox where id = $1::uuid and lease_id = $2::uuid and done_at is null for update',
      [job.id, lease],
    );
    if (!before) return;
    const first = shouldAlert && before.alerted_at === null;
    await tx.query(
      `update private.outbox set last_error = $2, lease_until = '-infinity', due_at = $3::timestamptz,
         alerted_at = case when $4::boolean then $5::timestamptz else alerted_at end
       where id = $1::uuid`,
      [job.id, reason.slice(0, 500), dueAt, first, now],
    );
    if (first) await alert(tx, job, { tries: job.tries, reason });
  });
}

async function alert(
  tx: Parameters<Parameters<Database['transaction']>[0]>[0],
  job: Job,
  more: { reason: string } & Record<string, unknown>,
): Promise<void> {
  await tx.query(`select private.audit(null, 'alert', 'outbox', $1, $2::jsonb)`, [
    job.id,
    { ...more, kind: job.kind, subject: job.subjectId, reason: more.reason.slice(0, 200) },
  ]);
}
