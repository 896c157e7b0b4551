import type { Transaction } from '#server/db/database.ts';
import * as queue from '#server/queue/jobs.ts';

export type JobKind =
  | 'mail.booking-confirmed'
  | 'mail.booking-cancelled'
  | 'mail.payment-returned'
  | 'mail.payment-processing'
  | 'mail.payment-failed'
  | 'mail.access-code'
  | 'mail.job-alert'
  | 'access.request'
  | 'access.revoke'
  | 'payment.refund'
  | 'image.delete';

/** `subjectId`: the booking, payment or verification the job is about. */
export type Job = queue.Job;
export type NewJob = queue.NewJob<JobKind>;
export type JobOutcome = queue.JobOutcome;
export type JobHandler = queue.JobHandler;

/** Writes a job in the transaction of its cause. A second job of the same kind, subject and dedupe is ignored. */
export const enqueue: (tx: Pick<Transaction, 'query'>, job: NewJob) => Promise<void> = queue.enqueue;

export type WorkerName = 'mail' | 'payments' | 'locks' | 'images' | 'alerts';

/** Which worker runs which jobs: one for each outside system. `later`: its jobs report what the others did. */
export const WORKERS: Readonly<
  Record<WorkerName, { readonly kinds: readonly JobKind[]; readonly atOnce: number; readonly later?: boolean }>
> = {
  mail: {
    kinds: [
      'mail.booking-confirmed',
      'mail.booking-cancelled',
      'mail.payment-returned',
      'mail.payment-processing',
      'mail.payment-failed',
      'mail.access-code',
    ],
    atOnce: 4,
    later: true,
  },
  // Separate from the other mails, so that customers' mails go first when the mail server is back.
  alerts: { kinds: ['mail.job-alert'], atOnce: 1, later: true },
  payments: { kinds: ['payment.refund'], atOnce: 4 },
  locks: { kinds: ['access.request', 'access.revoke'], atOnce: 4 },
  images: { kinds: ['image.delete'], atOnce: 4 },
};

/** Kinds for which a customer may be waiting at the door: tried at least once a minute. */
const URGENT: readonly string[] = ['access.request', 'mail.access-code'] satisfies JobKind[];
const URGENT_WAIT_MS = 60_000;

export function longestWaitMs(kind: string): number {
  return URGENT.includes(kind) ? URGENT_WAIT_MS : queue.LONGEST_WAIT_MS;
}
