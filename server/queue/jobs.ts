import type { Transaction } from '#server/db/database.ts';

/** A job as passed to its handler. */
export type Job<Kind extends string = string> = {
  readonly id: string;
  readonly kind: Kind;
  /** The record the job is about. */
  readonly subjectId: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly dueAt: Date;
  readonly deadlineAt: Date | null;
  /** How often the job has been started, including this time. */
  readonly tries: number;
};

export type NewJob<Kind extends string = string> = {
  readonly kind: Kind;
  readonly subjectId: string;
  /** Distinguishes several jobs of one kind for one subject; an equal value means the same job. */
  readonly dedupe?: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly dueAt: Date;
  readonly deadlineAt?: Date;
};

/**
 * `retryAt`: neither done nor failed; something else must happen first.
 * `closed`: too late for good; the reason is stored and included in the alert.
 */
export type JobOutcome = 'done' | { readonly retryAt: Date } | { readonly closed: string };
export type JobHandler<Kind extends string = string> = (job: Job<Kind>) => Promise<JobOutcome>;

/** The longest wait between two tries of a job, unless its worker sets a shorter one. */
export const LONGEST_WAIT_MS = 15 * 60_000;

/** Writes a job in the transaction of its cause. Does nothing when a job with the same kind, subject and dedupe exists. */
export async function enqueue<Kind extends string>(tx: Pick<Transaction, 'query'>, job: NewJob<Kind>): Promise<void> {
  await tx.query(
    `insert into private.outbox (kind, subject_id, dedupe, payload, due_at, deadline_at)
     values ($1, $2::uuid, $3, $4::jsonb, $5::timestamptz, $6::timestamptz) on conflict do nothing`,
    [job.kind, job.subjectId, job.dedupe ?? '', job.payload ?? {}, job.dueAt, job.deadlineAt ?? null],
  );
}

/** Returns the time of the next try: doubling up to `longestMs`, at most an eighth of the time left to the deadline, at least a second. */
export function nextTry(now: Date, tries: number, deadlineAt: Date | null, longestMs: number = LONGEST_WAIT_MS): Date {
  const doubled = Math.min(2 ** tries * 1000, longestMs);
  const left = deadlineAt ? deadlineAt.getTime() - now.getTime() : Number.POSITIVE_INFINITY;
  const wait = left > 0 ? Math.min(doubled, left / 8) : doubled;
  return new Date(now.getTime() + Math.max(wait, 1000));
}
