import type { Database } from '#server/db/database.ts';
import type { Clock, Log } from '#server/http/caller.ts';
import type { Metrics } from '#server/http/metrics.ts';
import { CIRCUIT_OPEN, CIRCUIT_OPEN_MS, ProviderError } from '#server/providers/call.ts';
import { createScheduler, type Scheduler, type Task } from '#server/queue/scheduler.ts';
import { runRound, type Worker } from '#server/queue/worker.ts';
import { failpoint } from '../core/failpoint.ts';
import { type JobHandler, type JobKind, longestWaitMs, type WorkerName, WORKERS } from '../outbox.ts';
import type { PaymentDesk } from '../payments/desk.ts';
import { type JobAlerts, queueJobAlerts } from './job-alerts.ts';

/** State of a circuit breaker: how many calls may start now, and whether it is open. */
export type CircuitState = { room(): number; isOpen(): boolean };

const RECONCILE_EVERY = '5 minutes';
/** How soon a failed reconciliation is tried again. */
const RECONCILE_RETRY_MS = 30_000;

export type BackgroundJobs = {
  readonly scheduler: Scheduler;
  /** Runs one round of each worker, those marked `later` last. Returns how many jobs ran. */
  drain(): Promise<number>;
};

/** Creates the background jobs: a worker for each outside system and the periodic tasks, each in its own loop. */
export function createBackgroundJobs(context: {
  db: Database;
  clock: Clock;
  log: Log;
  handlers: Readonly<Record<JobKind, JobHandler>>;
  /** Stop a worker from starting jobs that cannot succeed. */
  circuits: Readonly<Partial<Record<WorkerName, CircuitState>>>;
  desk: PaymentDesk;
  alerts: JobAlerts;
  /** Further periodic tasks. */
  tasks: readonly Task[];
}): BackgroundJobs {
  const { db, clock, log, desk, alerts, circuits } = context;
  const workers = (Object.keys(WORKERS) as WorkerName[]).map((name) => createWorker(name, context));
  const stageOf = (worker: Worker): number => (WORKERS[worker.name as WorkerName].later === true ? 1 : 0);
  const scheduler = createScheduler(
    [
      ...workers.map((worker) => ({
        name: `worker ${worker.name}`,
        everyMs: 1_000,
        stage: stageOf(worker),
        run: (stop: () => boolean) => runRound(worker, stop),
      })),
      {
        name: 'release expired holds',
        everyMs: 1_000,
        // While the provider is down, holds keep their hours.
        run: (stop) => desk.releaseExpired(() => stop() || circuits.payments?.room() === 0),
      },
      { name: 'reconcile payments', everyMs: 5_000, run: () => reconcile(db, desk, clock) },
      { name: 'alert the owner to failing jobs', everyMs: 5_000, stage: 1, run: () => queueJobAlerts(alerts) },
      {
        name: 'delete full rate limits',
        everyMs: 10_000,
        run: () => db.query(`delete from private.rate_bucket where full_at < $1::timestamptz`, [clock()]),
      },
      ...context.tasks,
    ],
    log,
  );
  return {
    scheduler,
    async drain() {
      let ran = 0;
      for (const stage of [0, 1]) {
        const rounds = workers.filter((worker) => stageOf(worker) === stage).map((worker) => runRound(worker));
        for (const count of await Promise.all(rounds)) ran += count;
      }
      return ran;
    },
  };
}

function createWorker(name: WorkerName, context: Parameters<typeof createBackgroundJobs>[0]): Worker {
  const circuit = context.circuits[name];
  return {
    name,
    ...WORKERS[name],
    db: context.db,
    clock: context.clock,
    log: context.log,
    handlers: context.handlers,
    ...(circuit === undefined ? {} : { room: () => circuit.room() }),
    postpone: (error) => (error instanceof ProviderError && error.reason === CIRCUIT_OPEN ? CIRCUIT_OPEN_MS : null),
    longestWaitMs,
    checkpoint: failpoint,
    silentKinds: WORKERS.alerts.kinds,
    running: new Map(),
  };
}

/** Settles payments whose webhooks were lost, in one process at a time; tries again soon after a failure. */
async function reconcile(db: Database, desk: PaymentDesk, clock: Clock): Promise<void> {
  const lease = await db.one<{ taken: boolean }>(
    `select private.take_lease('reconcile', $1::timestamptz, '${RECONCILE_EVERY}'::interval) as taken`,
    [clock()],
  );
  if (lease?.taken !== true) return;
  try {
    await desk.reconcile();
  } catch (error) {
    await db.query(`update private.lease set until = $1::timestamptz where name = 'reconcile'`, [
      new Date(clock().getTime() + RECONCILE_RETRY_MS),
    ]);
    throw error;
  }
}

/** Registers the metrics of the queue and the circuit breakers. */
export function measureJobs(metrics: Metrics, db: Database, clock: Clock, circuits: readonly CircuitState[]): void {
  const open = 'done_at is null and closed_at is null';
  const ask = async (text: string): Promise<number> => (await db.one<{ n: number }>(text, [clock()]))?.n ?? 0;
  metrics.gauge('outbox_waiting', 'Jobs that are due and not done', () =>
    ask(`select count(*)::int as n from private.outbox where ${open} and due_at <= $1::timestamptz`),
  );
  metrics.gauge('outbox_failing', 'Open jobs that a person was alerted to: they failed three times or more', () =>
    ask(
      `select count(*)::int as n from private.outbox where ${open} and alerted_at is not null and $1::timestamptz is not null`,
    ),
  );
  metrics.gauge('outbox_closed', 'Jobs closed without success: by a person, or because their moment passed', () =>
    ask(
      `select count(*)::int as n from private.outbox where done_at is null and closed_at is not null and $1::timestamptz is not null`,
    ),
  );
  metrics.gauge(
    'outbox_oldest_seconds',
    'Age of the oldest job that is not done, counted from when it was first due',
    () =>
      ask(
        `select coalesce(extract(epoch from max($1::timestamptz - created_at)), 0)::float8 as n from private.outbox
       where ${open} and due_at <= $1::timestamptz`,
      ),
  );
  metrics.gauge(
    'provider_circuits_open',
    'Providers that are not called at the moment because they did not answer',
    () => Promise.resolve(circuits.filter((circuit) => circuit.isOpen()).length),
  );
}
