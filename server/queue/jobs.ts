import type { Database, Queryable, Transaction } from '#server/db/database.ts';
import type { Clock, Log } from '#server/http/caller.ts';

/** A job as passed to its handler. */
export type Job = {
  readonly id: string;
  readonly kind: string;
  /** The record the job is about. */
  readonly subjectId: string;
  /** The address or phone number to which the job sends a message. Null if the handler looks it up. */
  readonly recipient: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly dueAt: Date;
  readonly deadlineAt: Date | null;
  /** Number of times that the job has been started, including this one. */
  readonly tries: number;
};

export type NewJob<Kind extends string = string> = {
  /** The default is a new id. */
  readonly id?: string;
  readonly kind: Kind;
  readonly subjectId: string;
  /** Distinguishes several jobs of one kind for one subject. Jobs with the same value count as one job. */
  readonly dedupe?: string;
  readonly recipient?: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly dueAt: Date;
  readonly deadlineAt?: Date | undefined;
};

/**
 * `retryAt`: the job is neither done nor failed, because another event must happen first. `closed`: it is too late to run the job; the
 * reason is stored and included in the alert.
 */
export type JobOutcome = 'done' | { readonly retryAt: Date } | { readonly closed: string };
export type JobHandler = (job: Job) => Promise<JobOutcome>;

/** The rules for running the jobs of a kind. */
export type JobRules = {
  /** The name of the worker that runs these jobs. */
  readonly worker: string;
  /** Maximum wait between two tries. Default: `LONGEST_WAIT_MS`. */
  readonly longestWaitMs?: number;
  /**
   * `once`: at most one open job of the kind raises an alert, because anyone can cause many of them. `never`: the kind delivers alerts
   * itself. Default: `each`.
   */
  readonly alerts?: 'each' | 'once' | 'never';
  /**
   * Whether to delete the job's row, because it holds personal data, once the job is done or its deadline has passed (which also raises
   * an alert). By default the row stays.
   */
  readonly deletes?: boolean;
};
/** A kind of job, registered by the module that owns it. */
type JobKind = JobRules & { readonly handle: JobHandler };
/** All kinds by name. */
export type JobKinds = Readonly<Record<string, JobKind>>;

/** Dependencies for storing the outcomes of jobs. */
export type JobStore = {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** The kinds of jobs in the store. */
  readonly kinds: JobKinds;
};

/** Returns the kind of a job, or undefined if no part of this program handles it. */
export const findKind = (kinds: JobKinds, { kind }: Pick<Job, 'kind'>): JobKind | undefined =>
  Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;

/** Maximum wait between two tries of a job, unless its kind sets a shorter one. */
export const LONGEST_WAIT_MS = 15 * 60_000;

/** Writes a job in the transaction that causes it. Does nothing if a job with the same kind, subject and `dedupe` exists. */
export async function enqueue<Kind extends string>(tx: Transaction, job: NewJob<Kind>): Promise<void> {
  await tx.query(
    `insert into private.outbox (id, kind, subject_id, dedupe, recipient, payload, due_at, deadline_at)
     values (coalesce($1::uuid, gen_random_uuid()), $2, $3::uuid, $4, $5, $6::jsonb, $7::timestamptz, $8::timestamptz)
     on conflict do nothing`,
    [
      job.id ?? null,
      job.kind,
      job.subjectId,
      job.dedupe ?? '',
      job.recipient ?? null,
      job.payload ?? {},
      job.dueAt,
      job.deadlineAt ?? null,
    ],
  );
}

/** The jobs to end: those of the given kinds that are about the subject or go to one of the recipients. */
export type JobSelection = {
  readonly kinds: readonly string[];
  readonly subjectId: string | null;
  readonly recipients: readonly (string | null)[];
};

/** Deletes jobs that are not done, in the transaction that makes them pointless. A running job ends at its next `lockJob`. */
export async function endJobs(tx: Transaction, { kinds, subjectId, recipients }: JobSelection): Promise<void> {
  await tx.query(
    `delete from private.outbox
     where kind = any ($1::text[]) and done_at is null and (subject_id = $2::uuid or recipient = any ($3::text[]))`,
    [kinds, subjectId, recipients.filter((recipient) => recipient !== null)],
  );
}

/** Deletes jobs of some kinds that were closed before a time. */
export async function deleteClosedJobs(db: Queryable, kinds: readonly string[], before: Date): Promise<void> {
  await db.query('delete from private.outbox where kind = any ($1::text[]) and closed_at < $2::timestamptz', [
    kinds,
    before,
  ]);
}

/** Locks a job that is running. Returns false if it was ended meanwhile. */
export async function lockJob(tx: Transaction, id: string): Promise<boolean> {
  return (await tx.queryRow('select 1 from private.outbox where id = $1::uuid for update', [id])) !== null;
}

/**
 * Returns the time of the next try. The wait doubles up to `longestMs`, and is at most an eighth of the time left to the deadline and at
 * least a second.
 */
export function nextTry(now: Date, tries: number, deadlineAt: Date | null, longestMs: number = LONGEST_WAIT_MS): Date {
  const doubled = Math.min(2 ** tries * 1000, longestMs);
  const remainingMs = deadlineAt ? deadlineAt.getTime() - now.getTime() : Number.POSITIVE_INFINITY;
  const wait = remainingMs > 0 ? Math.min(doubled, remainingMs / 8) : doubled;
  return new Date(now.getTime() + Math.max(wait, 1000));
}
