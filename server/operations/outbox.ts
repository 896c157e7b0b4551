import type { Clock, Log } from '#server/http/caller.ts';
import type { Database, Transaction } from '#server/db/database.ts';
import { failpoint } from './failpoint.ts';

export type JobKind =
  | 'mail.booking-confirmed'
  | 'mail.booking-cancelled'
  | 'mail.payment-returned'
  | 'mail.payment-processing'
  | 'mail.payment-failed'
  | 'mail.access-code'
  | 'access.request'
  | 'access.revoke'
  | 'payment.refund'
  | 'image.delete';

export type Job = {
  readonly id: string;
  readonly kind: JobKind;
  /** The booking, payment or verification the job is about. */
  readonly subjectId: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly dueAt: Date;
  readonly deadlineAt: Date | null;
  readonly tries: number;
};

export type NewJob = {
  readonly kind: JobKind;
  readonly subjectId: string;
  /** Tells apart several jobs of one kind for one subject; the same words are the same job. */
  readonly dedupe?: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly dueAt: Date;
  readonly deadlineAt?: Date;
};

/** `retryAt`: not done, and not a failure either (something else must happen first). */
export type JobOutcome = 'done' | { readonly retryAt: Date };
export type JobHandler = (job: Job) => Promise<JobOutcome>;

/** After so many failures a job is parked with an alert; it never vanishes. */
export const TRIES_MAX = 12;
const LONGEST_WAIT_MS = 20 * 60_000;

/** Writes a job in the transaction of its cause; a second one of the same kind, subject and dedupe is the first one. */
export async function enqueue(tx: Transaction, job: NewJob): Promise<void> {
  await tx.query(
    `insert into private.outbox (kind, subject_id, dedupe, payload, due_at, deadline_at)
     values ($1, $2::uuid, $3, $4::jsonb, $5::timestamptz, $6::timestamptz) on conflict do nothing`,
    [job.kind, job.subjectId, job.dedupe ?? '', job.payload ?? {}, job.dueAt, job.deadlineAt ?? null],
  );
}

/** When to try again: doubling, at most 20 minutes, and never more than an eighth of the time left to the deadline. */
export function nextTry(now: Date, tries: number, deadlineAt: Date | null): Date {
  const doubled = Math.min(2 ** tries * 1000, LONGEST_WAIT_MS);
  const left = deadlineAt ? deadlineAt.getTime() - now.getTime() : Number.POSITIVE_INFINITY;
  const wait = left > 0 ? Math.min(doubled, left / 8) : doubled;
  return new Date(now.getTime() + Math.max(wait, 1000));
}

type Row = {
  id: string;
  kind: JobKind;
  subject_id: string;
  payload: Record<string, unknown>;
  due_at: Date;
  deadline_at: Date | null;
  tries: number;
};

export type Outbox = { drain(limit: number): Promise<number> };

/** Claims due jobs and runs them outside any transaction. Any number of workers may drain at once. */
export function createOutbox(parts: {
  db: Database;
  clock: Clock;
  log: Log;
  handlers: Partial<Record<JobKind, JobHandler>>;
}): Outbox {
  const { db, clock, log, handlers } = parts;

  async function run(row: Row): Promise<void> {
    const job: Job = {
      id: row.id,
      kind: row.kind,
      subjectId: row.subject_id,
      payload: row.payload,
      dueAt: row.due_at,
      deadlineAt: row.deadline_at,
      tries: row.tries,
    };
    const handler = handlers[job.kind];
    if (!handler) throw new Error(`nobody handles ${job.kind}`);
    failpoint(`outbox.before.${job.kind}`);
    let outcome: JobOutcome;
    try {
      outcome = await handler(job);
    } catch (error) {
      await failed(job, error);
      return;
    }
    failpoint(`outbox.after.${job.kind}`);
    if (outcome === 'done') {
      await db.query('update private.outbox set done_at = $2::timestamptz, last_error = null where id = $1::uuid', [
        job.id,
        clock(),
      ]);
      return;
    }
    await db.query(
      `update private.outbox set due_at = $2::timestamptz, lease_until = '-infinity', tries = greatest(tries - 1, 0) where id = $1::uuid`,
      [job.id, outcome.retryAt],
    );
  }

  async function failed(job: Job, error: unknown): Promise<void> {
    const reason = error instanceof Error ? error.message : String(error);
    const park = job.tries >= TRIES_MAX;
    log.error({ job: job.id, kind: job.kind, tries: job.tries, parked: park, reason }, 'a job failed');
    await db.transaction(async (tx) => {
      await tx.query(
        `update private.outbox set last_error = $2, lease_until = '-infinity', due_at = $3::timestamptz,
           parked_at = case when $4::boolean then $5::timestamptz end
         where id = $1::uuid`,
        [job.id, reason.slice(0, 500), nextTry(clock(), job.tries, job.deadlineAt), park, clock()],
      );
      if (park)
        await tx.query(`select private.audit(null, 'alert', 'outbox', $1, $2::jsonb)`, [
          job.id,
          { kind: job.kind, reason: reason.slice(0, 200) },
        ]);
    });
  }

  return {
    async drain(limit) {
      const { rows } = await db.query<Row>(`select * from private.claim_outbox($1::timestamptz, $2::int)`, [
        clock(),
        limit,
      ]);
      for (const row of rows) await run(row);
      return rows.length;
    },
  };
}
