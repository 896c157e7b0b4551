import type { z } from 'zod';
import type { JobKind } from '#rules/alerts/jobs.ts';
import type { Transaction } from '#server/db/database.ts';
import * as queue from '#server/queue/jobs.ts';
import type { WorkerOptions } from '#server/queue/queue.ts';
import type { Services } from './services.ts';

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
} as const satisfies Record<string, WorkerOptions>;
type WorkerName = keyof typeof WORKERS;
type Workers = Readonly<Partial<typeof WORKERS>>;
/** Does the jobs of a worker that does not run: what is left of a wallet's jobs is only closed. */
const DEPUTY: WorkerName = 'images';

/** The longest wait between two tries of a job where a customer may be waiting at the door. */
export const URGENT_WAIT_MS = 60_000;

/** Returns the workers that a server needs: those of wallets only where passes for them are set up (not null). */
export function workersFor(wallets: { readonly apple: unknown; readonly google: unknown }): Workers {
  const idle = [
    ...(wallets.apple === null ? ['apple-passes'] : []),
    ...(wallets.google === null ? ['google-passes'] : []),
  ];
  return Object.fromEntries(Object.entries(WORKERS).filter(([name]) => !idle.includes(name)));
}

/** A job as its handler gets it; `subjectId`: the booking, payment or verification that it is about. */
export type Job<Payload = unknown> = Omit<queue.Job, 'payload'> & { readonly payload: Payload };
export type NewJob = queue.NewJob<JobKind>;
export type JobOutcome = queue.JobOutcome;

/** A kind of job. */
export type JobDefinition = Omit<queue.JobRules, 'worker'> & {
  readonly kind: JobKind;
  /** What staff and the owner call it, as in "Refund email: not sent yet". */
  readonly title: string;
  readonly worker: WorkerName;
  readonly handle: (services: Services, job: queue.Job) => Promise<JobOutcome>;
};

/**
 * Defines a kind of job, in the module that does it. `handle` gets the payload as its schema parses it when the job is claimed, also one that
 * a trigger wrote; a job whose payload breaks the schema fails, is tried again and raises an alert like any other. Without a schema the
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

/** Writes a job in the transaction of its cause. A second job of the same kind, subject and dedupe is ignored. */
export const enqueue: (tx: Transaction, job: NewJob) => Promise<void> = queue.enqueue;

/** Deletes jobs that are not done, in the transaction that makes them pointless. */
export const endJobs: (tx: Transaction, which: queue.JobsOf) => Promise<void> = queue.endJobs;

/** Returns the kinds as the queue needs them, with these services and workers. */
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
