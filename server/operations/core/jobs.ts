import type { z } from 'zod';
import type { JobKind } from '#rules/alerts/jobs.ts';
import type { Transaction } from '#server/db/database.ts';
import * as queue from '#server/queue/jobs.ts';
import type { WorkerOptions } from '#server/queue/queue.ts';
import type { Services } from './services.ts';

/** The workers, one for each external system. */
export const WORKERS = {
  mail: { atOnce: 4, later: true },
  // Separate from other mails, so that customers' mails are sent first when the mail server is back.
  alerts: { atOnce: 1, later: true },
  payments: { atOnce: 4 },
  // One mail at a time, so that news never delays the mails of bookings.
  campaigns: { atOnce: 1, later: true },
  locks: { atOnce: 4 },
  images: { atOnce: 4 },
  texts: { atOnce: 4, later: true },
  power: { atOnce: 4 },
  'apple-passes': { atOnce: 4 },
  'google-passes': { atOnce: 4 },
} as const satisfies Record<string, WorkerOptions>;
type WorkerName = keyof typeof WORKERS;
type Workers = Readonly<Partial<typeof WORKERS>>;
/** Takes over the jobs of a worker that does not run. This concerns the remaining jobs of a wallet, which it only closes. */
const DEPUTY: WorkerName = 'images';

/** Longest wait between two attempts of a job while a customer may be waiting at the door. */
export const URGENT_WAIT_MS = 60_000;

/** Returns the workers that a server needs. Workers for wallets are included only if passes for that wallet are set up (not null). */
export function workersFor(wallets: { readonly apple: unknown; readonly google: unknown }): Workers {
  const idle = [
    ...(wallets.apple === null ? ['apple-passes'] : []),
    ...(wallets.google === null ? ['google-passes'] : []),
  ];
  return Object.fromEntries(Object.entries(WORKERS).filter(([name]) => !idle.includes(name)));
}

/** A job as passed to its handler. `subjectId`: the booking, payment or verification that it is about. */
export type Job<Payload = unknown> = Omit<queue.Job, 'payload'> & { readonly payload: Payload };
export type NewJob = queue.NewJob<JobKind>;
export type JobOutcome = queue.JobOutcome;

export type JobDefinition = Omit<queue.JobRules, 'worker'> & {
  readonly kind: JobKind;
  /** The name shown to staff and the owner, as in "Refund email: not sent yet". */
  readonly title: string;
  readonly worker: WorkerName;
  readonly handle: (services: Services, job: queue.Job) => Promise<JobOutcome>;
};

/**
 * Defines a kind of job, in the module that does the work. When a job is claimed, its payload is parsed with the schema, even if a trigger
 * wrote it. A job whose payload does not match fails, is tried again and raises an alert like any other failure. Without a schema the
 * handler gets no payload. A new kind compiles once ALL_JOBS lists it and its title is in rules/alerts/job-titles.ts, which
 * all-jobs.test.ts writes.
 */
export function defineJob<Payload = undefined>(
  job: Omit<JobDefinition, 'handle'> & {
    readonly payload?: z.ZodType<Payload>;
    readonly handle: (services: Services, job: Job<Payload>) => Promise<JobOutcome>;
  },
): JobDefinition {
  const { payload: schema, handle, ...rules } = job;
  return {
    ...rules,
    handle: async (services, { payload, ...claimed }) =>
      // Cast: without a schema, Payload is undefined.
      handle(services, { ...claimed, payload: schema === undefined ? (undefined as Payload) : schema.parse(payload) }),
  };
}

/** Adds a job in the transaction of its cause. A second job with the same kind, subject and dedupe key is ignored. */
export const enqueue: (tx: Transaction, job: NewJob) => Promise<void> = queue.enqueue;

/** Deletes pending jobs, in the transaction that makes them pointless. */
export const endJobs: (tx: Transaction, which: queue.JobSelection) => Promise<void> = queue.endJobs;

/** Returns the kinds in the form that the queue needs, bound to these services and workers. */
export function jobKinds(
  definitions: readonly JobDefinition[],
  services: Services,
  workers: Workers = WORKERS,
): queue.JobKinds {
  return Object.fromEntries(
    definitions.map(({ kind, title: _title, worker, handle, ...rules }) => [
      kind,
      {
        ...rules,
        worker: workers[worker] === undefined ? DEPUTY : worker,
        handle: (job: queue.Job) => handle(services, job),
      },
    ]),
  );
}
