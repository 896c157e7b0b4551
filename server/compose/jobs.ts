import { MESSAGE_WORKERS } from '#server/auth/codes/message-queue.ts';
import type { Database } from '#server/db/database.ts';
import type { Clock, Log } from '#server/http/caller.ts';
import { deleteFullLimits } from '#server/http/limits.ts';
import type { Metrics } from '#server/http/metrics.ts';
import { failpoint } from '#server/operations/core/failpoint.ts';
import { WORKERS } from '#server/operations/core/jobs.ts';
import type { JobAlerts } from '#server/operations/jobs/job-alerts.ts';
import { periodicTasks } from '#server/operations/jobs/periodic-tasks.ts';
import { CIRCUIT_OPEN, CIRCUIT_OPEN_MS, ProviderError } from '#server/providers/call.ts';
import type { Circuit } from '#server/providers/circuit.ts';
import type { JobKinds } from '#server/queue/jobs.ts';
import { measureQueue } from '#server/queue/metrics.ts';
import { createQueue, type Queue, type WorkerSettings } from '#server/queue/queue.ts';
import { createScheduler, type Scheduler, type Task } from '#server/queue/scheduler.ts';

/** What the workers need of a circuit breaker. */
type CircuitState = Pick<Circuit, 'capacity' | 'isOpen'>;

const ALL_WORKERS: Readonly<Record<string, WorkerSettings>> = { ...WORKERS, ...MESSAGE_WORKERS };
export type AnyWorker = keyof typeof WORKERS | keyof typeof MESSAGE_WORKERS;

/** Builds the queue with all its workers, and the scheduler that runs them and the periodic tasks. */
export function composeJobs(context: {
  db: Database;
  clock: Clock;
  log: Log;
  /** Every kind of job, with its handler. */
  kinds: JobKinds;
  /** Stop a worker from starting jobs that cannot succeed. */
  circuits: Readonly<Partial<Record<AnyWorker, CircuitState>>>;
  releaseExpiredHolds: (stop: () => boolean) => Promise<unknown>;
  reconcilePayments: () => Promise<unknown>;
  alerts: JobAlerts;
  /** Further periodic tasks. */
  tasks: readonly Task[];
}): { queue: Queue; scheduler: Scheduler } {
  const { db, clock, log, kinds } = context;
  const circuits: Readonly<Record<string, CircuitState | undefined>> = context.circuits;
  const queue = createQueue({
    db,
    clock,
    log,
    kinds,
    workers: Object.fromEntries(
      Object.entries(ALL_WORKERS).map(([name, settings]) => [
        name,
        { ...settings, capacity: circuits[name]?.capacity },
      ]),
    ),
    postpone: (error) => (error instanceof ProviderError && error.reason === CIRCUIT_OPEN ? CIRCUIT_OPEN_MS : null),
    checkpoint: failpoint,
  });
  const paymentsDown = (): boolean => circuits['payments']?.capacity() === 0;
  const scheduler = createScheduler(
    [
      ...queue.tasks,
      ...periodicTasks({ ...context, paymentsDown }),
      { name: 'delete full rate limits', everyMs: 10_000, run: () => deleteFullLimits(db, clock()) },
      ...context.tasks,
    ],
    log,
  );
  return { queue, scheduler };
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
