import { join } from 'node:path';
import { createStatus, type PartState, type StatusPart } from '#server/http/health/status.ts';
import { readMigrations } from '#server/db/schema/schema.ts';
import type { Database } from '#server/db/database.ts';
import type { Clock, Log } from '#server/http/caller.ts';
import { measureDatabase, measureOverload, type Metrics } from '#server/http/metrics/metrics.ts';
import {
  createReadiness,
  databaseChecks,
  diskCheck,
  readDiskSpace,
  type Readiness,
} from '#server/http/health/readiness.ts';
import type { Overload } from '#server/http/overload.ts';
import { type CircuitState, measureJobs } from '#server/operations/jobs/background-jobs.ts';
import type { Queue } from '#server/queue/queue.ts';
import { isEmbedded, measureEngine } from './embedded.ts';
import { DATABASE } from '../open-database.ts';

/** After this long without a try, no worker is running the jobs. */
const QUEUE_LATE_SECONDS = 15 * 60;

type Observed = {
  readonly metrics: Metrics;
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly dataDir: string;
  readonly queue: Pick<Queue, 'lateness'>;
  readonly overload: Pick<Overload, 'inProgress' | 'refused'>;
  readonly circuits: Readonly<Record<string, CircuitState>> &
    Readonly<Record<'payments' | 'locks' | 'mail', CircuitState>>;
  readonly plugs: readonly CircuitState[];
};
/** The sources of /readyz and /status.json. */
export type Health = {
  readonly ready: () => Promise<Readiness>;
  readonly status: () => Promise<readonly PartState[]>;
  readonly stop: () => void;
};

/** Registers the metrics of the whole server. Returns the functions that report its health. */
export async function openHealth(context: Observed): Promise<Health> {
  const { metrics, db, clock, log, dataDir, queue } = context;
  measureDatabase(metrics, db);
  measureOverload(metrics, context.overload);
  measureJobs(metrics, db, clock, [...Object.values(context.circuits), ...context.plugs]);
  metrics.gauge(
    'disk_free_bytes',
    'Free space on the disk of DATA_DIR',
    async () => (await readDiskSpace(dataDir)).free,
  );
  metrics.gauge('disk_size_bytes', 'Size of the disk of DATA_DIR', async () => (await readDiskSpace(dataDir)).size);
  if (isEmbedded(db)) measureEngine(metrics, db, join(dataDir, 'database'));
  const names = (await readMigrations(DATABASE)).map(({ name }) => name);
  // A server that was down begins with overdue jobs.
  const began = clock().getTime();
  const queueCheck = async (): Promise<boolean> => {
    const up = (clock().getTime() - began) / 1000;
    return Math.min(await queue.lateness(), up) < QUEUE_LATE_SECONDS;
  };
  const ready = createReadiness({
    checks: [...databaseChecks(db.inClass('urgent'), names), { name: 'queue', run: queueCheck }, diskCheck(dataDir)],
    log,
  });
  const status = createStatus(createParts(ready, context.circuits), clock);
  return { ready, status: status.read, stop: status.stop };
}

/** The parts of the service that customers see on the status page. */
function createParts(ready: () => Promise<Readiness>, circuits: Observed['circuits']): readonly StatusPart[] {
  const checked = async (...names: readonly string[]): Promise<boolean> => {
    const { checks } = await ready();
    return names.every((name) => Object.hasOwn(checks, name) && checks[name] === 'ok');
  };
  const answers = (name: 'payments' | 'locks' | 'mail'): boolean => circuits[name]?.isOpen() === false;
  return [
    { name: 'bookings', works: () => checked('database', 'writable', 'migrations', 'disk') },
    { name: 'payments', works: async () => answers('payments') && (await checked('database', 'writable')) },
    { name: 'doors', works: async () => answers('locks') && (await checked('database', 'writable', 'queue')) },
    { name: 'mails', works: async () => answers('mail') && (await checked('database', 'queue')) },
  ];
}
