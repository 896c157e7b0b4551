import type { Transaction } from '#server/db/database.ts';
import * as queue from '#server/queue/jobs.ts';
import type { WorkerSettings } from '#server/queue/queue.ts';

/** The workers: one for each outside system. */
export const WORKERS = {
  mail: { atOnce: 4, later: true },
  // Separate from the other mails, so that customers' mails go first when the mail server is back.
  alerts: { atOnce: 1, later: true },
  payments: { atOnce: 4 },
  // One after another, so that news never delay the mails of bookings.
  campaigns: { atOnce: 1, later: true },
  locks: { atOnce: 4 },
  images: { atOnce: 4 },
  texts: { atOnce: 4, later: true },
  power: { atOnce: 4 },
  'apple-passes': { atOnce: 4 },
  'google-passes': { atOnce: 4 },
} as const satisfies Record<string, WorkerSettings>;
export type WorkerName = keyof typeof WORKERS;
type Workers = Readonly<Partial<typeof WORKERS>>;
/** Does the jobs of a worker that does not run: what is left of a wallet's jobs is only closed. */
const DEPUTY: WorkerName = 'images';

/** A customer may be waiting at the door: try at least once a minute. */
const URGENT_WAIT_MS = 60_000;

/** How the jobs of each kind are run. */
export const JOB_RULES = {
  'mail.booking-confirmed': { worker: 'mail' },
  'mail.booking-cancelled': { worker: 'mail' },
  'mail.payment-link': { worker: 'mail' },
  'mail.booking-moved': { worker: 'mail' },
  'mail.link-expired': { worker: 'mail' },
  'mail.link-expired-staff': { worker: 'mail' },
  'mail.refund': { worker: 'mail' },
  'mail.document': { worker: 'mail' },
  'mail.payment-returned': { worker: 'mail' },
  'mail.payment-processing': { worker: 'mail' },
  'mail.payment-failed': { worker: 'mail' },
  'mail.reminder': { worker: 'mail', alerts: 'once' },
  'text.reminder': { worker: 'texts', longestWaitMs: URGENT_WAIT_MS, alerts: 'once' },
  'mail.access-code': { worker: 'mail', longestWaitMs: URGENT_WAIT_MS },
  'mail.waitlist': { worker: 'mail', longestWaitMs: URGENT_WAIT_MS, alerts: 'once' },
  'mail.id-decision': { worker: 'mail' },
  'mail.id-withdrawn': { worker: 'mail' },
  'mail.code-held': { worker: 'mail', longestWaitMs: URGENT_WAIT_MS },
  'mail.code-held-staff': { worker: 'alerts', longestWaitMs: URGENT_WAIT_MS },
  'mail.id-needed': { worker: 'mail', longestWaitMs: URGENT_WAIT_MS },
  'mail.thanks': { worker: 'mail', alerts: 'once' },
  'mail.incident-answer': { worker: 'mail' },
  'mail.door-help': { worker: 'alerts', longestWaitMs: URGENT_WAIT_MS },
  'mail.id-missing': { worker: 'alerts', longestWaitMs: URGENT_WAIT_MS },
  'mail.review-waiting': { worker: 'alerts' },
  'mail.staff-invitation': { worker: 'mail' },
  'mail.second-factor': { worker: 'mail' },
  'mail.customer': { worker: 'mail' },
  'mail.campaign': { worker: 'campaigns', alerts: 'once' },
  'mail.campaign-test': { worker: 'mail', alerts: 'never' },
  'mail.job-alert': { worker: 'alerts', alerts: 'never' },
  'access.request': { worker: 'locks', longestWaitMs: URGENT_WAIT_MS },
  'access.revoke': { worker: 'locks' },
  'access.request-crew': { worker: 'locks', longestWaitMs: URGENT_WAIT_MS },
  'access.revoke-crew': { worker: 'locks', longestWaitMs: URGENT_WAIT_MS },
  'access.revoke-staff': { worker: 'locks', longestWaitMs: URGENT_WAIT_MS },
  'access.end-secret': { worker: 'locks', longestWaitMs: URGENT_WAIT_MS },
  'power.follow': { worker: 'power', longestWaitMs: URGENT_WAIT_MS, alerts: 'once' },
  'pass.apple': { worker: 'apple-passes', longestWaitMs: URGENT_WAIT_MS, alerts: 'once' },
  'pass.google': { worker: 'google-passes', longestWaitMs: URGENT_WAIT_MS, alerts: 'once' },
  'payment.refund': { worker: 'payments' },
  'payment.partial-refund': { worker: 'payments' },
  'payment.forget-customer': { worker: 'payments' },
  'payment.compare-ledger': { worker: 'payments', alerts: 'once' },
  'image.delete': { worker: 'images' },
} as const satisfies Record<string, queue.JobRules & { worker: WorkerName }>;
export type JobKind = keyof typeof JOB_RULES;

/** Returns the workers that a server needs: those of wallets only where passes for them are set up (not null). */
export function workersFor(wallets: { readonly apple: unknown; readonly google: unknown }): Workers {
  const idle = [
    ...(wallets.apple === null ? ['apple-passes'] : []),
    ...(wallets.google === null ? ['google-passes'] : []),
  ];
  return Object.fromEntries(Object.entries(WORKERS).filter(([name]) => !idle.includes(name)));
}

/** `subjectId`: the booking, payment or verification the job is about. */
export type Job = queue.Job;
export type NewJob = queue.NewJob<JobKind>;
export type JobOutcome = queue.JobOutcome;
export type JobHandler = queue.JobHandler;

/** Writes a job in the transaction of its cause. A second job of the same kind, subject and dedupe is ignored. */
export const enqueue: (tx: Pick<Transaction, 'query'>, job: NewJob) => Promise<void> = queue.enqueue;

/** Deletes jobs that are not done, in the transaction that makes them pointless. */
export const endJobs: (tx: Pick<Transaction, 'query'>, which: queue.JobsOf) => Promise<void> = queue.endJobs;

/** Returns the kinds with their handlers, as the queue needs them with these workers. */
export function jobKinds(handlers: Readonly<Record<JobKind, JobHandler>>, workers: Workers = WORKERS): queue.JobKinds {
  return Object.fromEntries(
    Object.entries(handlers).map(([kind, handle]) => {
      const rules = JOB_RULES[kind as JobKind];
      return [kind, { ...rules, worker: workers[rules.worker] === undefined ? DEPUTY : rules.worker, handle }];
    }),
  );
}
