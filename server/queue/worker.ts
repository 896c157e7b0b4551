import { withinRequest } from '#server/db/request-scope.ts';
import { type Job, type JobOutcome, findKind, type JobStore } from './jobs.ts';
import { closeJob, completeJob, dropJob, failJob, postponeJob } from './outcomes.ts';

/** A worker. It runs the jobs of one outside system, so that a hanging system does not delay other jobs. */
export type Worker = JobStore & {
  readonly name: string;
  /** Maximum number of jobs that run at the same time. */
  readonly atOnce: number;
  /** Returns the number of jobs that may start now, which is 0 while the outside system is down. Unlimited by default. */
  readonly capacity?: (() => number) | undefined;
  /**
   * Returns the milliseconds by which to postpone a job without counting a failure, if the error is not about the job itself; else null.
   */
  readonly postpone?: ((error: unknown) => number | null) | undefined;
  /** Runs a job as part of the request that caused it. */
  readonly scope?: JobScope | undefined;
  /** Called before and after each job; tests stop the process there. */
  readonly checkpoint?: ((name: string) => void) | undefined;
  readonly heartbeatMs?: number;
  /** The jobs that this process is running, with id as key and lease as value. The worker maintains it. */
  readonly running: Map<string, string>;
};

/**
 * `requestId`: the id of the request that caused the job, or of the job itself if there was no request. `subjectId`: the record the job is
 * about.
 */
export type JobScope = <T>(
  job: { readonly kind: string; readonly requestId: string; readonly subjectId: string },
  work: () => Promise<T>,
) => Promise<T>;

/** Duration of a lease after its last renewal. */
export const LEASE_SECONDS = 10;
const HEARTBEAT_MS = 3_000;
/** Time after which a round claims no more jobs. */
const ROUND_BUDGET_MS = 20_000;

type Row = {
  id: string;
  kind: string;
  subject_id: string;
  recipient: string | null;
  payload: Record<string, unknown>;
  due_at: Date;
  deadline_at: Date | null;
  tries: number;
  lease_id: string;
  request_id: string | null;
};

/** Runs due jobs until none is left, the time budget is used up or `stop()` is true. Returns the number of jobs that ran. */
export async function runRound(worker: Worker, stop: () => boolean = () => false): Promise<number> {
  const end = performance.now() + ROUND_BUDGET_MS;
  return withHeartbeat(worker, async () => {
    let ran = 0;
    while (!stop() && performance.now() < end) {
      const started = await claimAndRun(worker);
      if (started === 0) break;
      ran += started;
    }
    return ran;
  });
}

/** Runs one batch of due jobs, as many as may run at the same time. Returns the number of jobs that ran. */
export function runBatch(worker: Worker): Promise<number> {
  return withHeartbeat(worker, () => claimAndRun(worker));
}

/** Renews the leases of running jobs. Never throws, because a lease that cannot be renewed expires. */
export async function renewLeases(worker: Worker): Promise<void> {
  const held = [...worker.running];
  if (held.length === 0) return;
  try {
    // Locked rows are skipped, because waiting for one while holding others could deadlock with a transaction that ends jobs.
    await worker.db.query(
      `update private.outbox o set lease_until = $3::timestamptz where o.id in (
         select x.id from private.outbox x join unnest($1::uuid[], $2::uuid[]) as held(id, lease) on x.id = held.id and x.lease_id = held.lease
         where x.done_at is null for update of x skip locked)`,
      [
        held.map(([id]) => id),
        held.map(([, lease]) => lease),
        new Date(worker.clock().getTime() + LEASE_SECONDS * 1000),
      ],
    );
  } catch (error) {
    worker.log.error(
      { err: error, worker: worker.name },
      'job leases could not be renewed; jobs whose leases expire run again',
    );
  }
}

async function withHeartbeat<T>(worker: Worker, work: () => Promise<T>): Promise<T> {
  const heartbeat = setInterval(() => void renewLeases(worker), worker.heartbeatMs ?? HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
  }
}

async function claimAndRun(worker: Worker): Promise<number> {
  const rows = await claim(worker);
  await Promise.all(rows.map((row) => run(worker, row)));
  return rows.length;
}

async function claim(worker: Worker): Promise<readonly Row[]> {
  const limit = Math.min(worker.atOnce, worker.capacity?.() ?? worker.atOnce);
  if (limit <= 0) return [];
  const { rows } = await worker.db.query<Row>(
    'select * from private.claim_jobs($1::text[], $2::timestamptz, $3::int, $4::numeric, $5::uuid[])',
    [Object.keys(worker.kinds), worker.clock(), limit, LEASE_SECONDS, [...worker.running.keys()]],
  );
  for (const row of rows) worker.running.set(row.id, row.lease_id);
  return rows;
}

async function run(worker: Worker, row: Row): Promise<void> {
  const job = toJob(row);
  try {
    worker.checkpoint?.(`outbox.before.${job.kind}`);
    const scope: JobScope =
      worker.scope ?? (({ requestId, subjectId }, work) => withinRequest(requestId, work, null, subjectId));
    const about = { kind: row.kind, requestId: row.request_id ?? row.id, subjectId: row.subject_id };
    await scope(about, () => handle(worker, job, row.lease_id));
  } catch (error) {
    // The outcome could not be stored, so the lease expires and the job runs again.
    worker.log.error(
      { err: error, job: job.id, kind: job.kind },
      'the outcome of a job could not be stored; the job runs again when its lease expires',
    );
  } finally {
    worker.running.delete(row.id);
  }
}

function toJob(row: Row): Job {
  return {
    id: row.id,
    kind: row.kind,
    subjectId: row.subject_id,
    recipient: row.recipient,
    payload: row.payload,
    dueAt: row.due_at,
    deadlineAt: row.deadline_at,
    tries: row.tries,
  };
}

/** Runs a job and stores its outcome. */
async function handle(worker: Worker, job: Job, lease: string): Promise<void> {
  const kind = findKind(worker.kinds, job);
  let outcome: JobOutcome;
  try {
    if (!kind) throw new Error(`no handler for jobs of the kind ${job.kind}`);
    if (kind.deletes === true && job.deadlineAt !== null && job.deadlineAt <= worker.clock())
      return await dropJob(worker, job);
    outcome = await kind.handle(job);
  } catch (error) {
    const wait = worker.postpone?.(error) ?? null;
    // The failures of a job that has failed before are still counted. Otherwise an outage could postpone it forever without an alert.
    if (wait === null || job.tries > 1) return failJob(worker, job, lease, { error, waitMs: wait ?? 0 });
    return postponeJob(worker, job, lease, new Date(worker.clock().getTime() + wait));
  }
  worker.checkpoint?.(`outbox.after.${job.kind}`);
  if (outcome === 'done') return completeJob(worker, job);
  if ('closed' in outcome) return closeJob(worker, job, outcome.closed);
  return postponeJob(worker, job, lease, outcome.retryAt);
}
