import type { Database } from '#server/db/database.ts';
import type { Clock } from '#server/http/caller.ts';
import type { Metrics } from '#server/http/metrics/metrics.ts';
import { CIRCUIT_OPEN, CIRCUIT_OPEN_MS, ProviderError } from '#server/providers/call.ts';
import type { JobKinds } from '#server/queue/jobs.ts';
import { measureQueue } from '#server/queue/metrics.ts';
import type { JobScope } from '#server/queue/worker.ts';
import { createQueue, type Queue, type WorkerOptions } from '#server/queue/queue.ts';
import { createScheduler, type Scheduler, type Task } from '#server/queue/scheduler.ts';
import { allTasks, createTaskLeases } from '#server/queue/task-leases.ts';
import { failpoint } from '../core/failpoint.ts';
import type { Services } from '../core/services.ts';
import { periodicTasks } from './periodic-tasks.ts';

/** State of a circuit breaker: the number of calls that may start now, and whether it is open. */
export type CircuitState = { readonly capacity: () => number; readonly isOpen: () => boolean };

/** Creates the queue with all its workers, and the scheduler that runs them and the periodic tasks. */
export function createBackgroundJobs<WorkerName extends string>(
  services: Services,
  jobs: {
    workers: Readonly<Partial<Record<WorkerName, WorkerOptions>>>;
    /** All kinds of jobs, with their handlers. */
    kinds: JobKinds;
    /** Keep a worker from starting jobs that would fail because the circuit is open. */
    circuits: Readonly<Partial<Record<NoInfer<WorkerName> | 'payments', CircuitState>>>;
    releaseExpiredHolds: (stop: () => boolean) => Promise<unknown>;
    reconcilePayments: () => Promise<unknown>;
    /** Runs a job in the scope of the request that caused it. */
    scope?: JobScope;
    /** Additional periodic tasks. */
    tasks: readonly Task[];
  },
): { queue: Queue; scheduler: Scheduler } {
  const { db, clock, log } = services;
  const circuits = new Map(Object.entries<CircuitState | undefined>(jobs.circuits));
  const queue = createQueue({
    db,
    clock,
    log,
    kinds: jobs.kinds,
    workers: Object.fromEntries(
      Object.entries<WorkerOptions | undefined>(jobs.workers).flatMap(([name, settings]) =>
        settings === undefined ? [] : [[name, { ...settings, capacity: circuits.get(name)?.capacity }]],
      ),
    ),
    postpone: (error) => (error instanceof ProviderError && error.reason === CIRCUIT_OPEN ? CIRCUIT_OPEN_MS : null),
    checkpoint: failpoint,
    ...(jobs.scope ? { scope: jobs.scope } : {}),
  });
  const paymentsDown = (): boolean => jobs.circuits.payments?.capacity() === 0;
  const tasks = [...queue.tasks, ...periodicTasks(services, { ...jobs, paymentsDown }), ...jobs.tasks];
  // The embedded database belongs to a single process. On PostgreSQL several servers share the tasks.
  const leases = db.kind === 'pglite' ? allTasks : createTaskLeases({ db, log });
  return { queue, scheduler: createScheduler(tasks, log, leases) };
}

/** Registers the metrics of the queue and the circuit breakers. */
export function measureJobs(metrics: Metrics, db: Database, clock: Clock, circuits: readonly CircuitState[]): void {
  measureQueue(metrics, db, clock);
  metrics.gauge(
    'provider_circuits_open',
    'Providers that are not called at the moment because they did not answer',
    () => Promise.resolve(circuits.filter((circuit) => circuit.isOpen()).length),
  );
}
