import type { Transaction } from '#server/db/database.ts';

/** A job as its handler sees it. */
export type Job<Kind extends string = string> = {
  readonly id: string;
  readonly kind: Kind;
  /** What the job is about. */
  readonly subjectId: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly dueAt: Date;
  readonly deadlineAt: Date | null;
  /** How often the job has been started, this time included. */
  readonly tries: number;
};

export type NewJob<Kind extends string = string> = {
  readonly kind: Kind;
  readonly subjectId: string;
  /** Tells apart several jobs of one kind for one subject; the same words are the same job. */
  readonly dedupe?: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly dueAt: Date;
  readonly deadlineAt?: Date;
};

/**
 * `retryAt`: not done, and not a failure either (something else must happen first).
 * `closed`: its moment has passed for good; the reason is kept and told.
 */
export type JobOutcome = 'done' | { readonly retryAt: Date } | { readonly closed: string };
export type JobHandler<Kind extends string = string> = (job: Job<Kind>) => Promise<JobOutcome>;

/** Longest wait between two tries of a job, unless its worker names a shorter one. */
export const LONGEST_WAIT_MS = 15 * 60_000;

/** Writes a job in the transaction of its cause; a second one of the same kind, subject and dedupe is the first one. */
export async function enqueue<Kind extends string>(tx: Pick<Transaction, 'query'>, job: NewJob<Kind>): Promise<void> {
  await tx.query(
    `insert into private.outbox (kind, subject_id, dedupe, payload, due_at, deadline_at)
     values ($1, $2::uuid, $3, $4::jsonb, $5::timestamptz, $6::timestamptz) on conflict do nothing`,
    [job.kind, job.subjectId, job.dedupe ?? '', job.payload ?? {}, job.dueAt, job.deadlineAt ?? null],
  );
}

/** When to try again: doubling up to `longestMs`, never more than an eighth of the time left to the deadline, at least a second. */
export function nextTry(now: Date, tries: number, deadlineAt: Date | null, longestMs: number = LONGEST_WAIT_MS): Date {
  const doubled = Math.min(2 ** tries * 1000, longestMs);
  const left = deadlineAt ? deadlineAt.getTime() - now.getTime() : Number.POSITIVE_INFINITY;
  const wait = left > 0 ? Math.min(doubled, left / 8) : doubled;
  return new Date(now.getTime() + Math.max(wait, 1000));
}
