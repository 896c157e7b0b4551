import type { Database } from '#server/db/database.ts';
import type { Log } from '#server/http/caller.ts';
import type { ChangeFeed } from './changes/changes.ts';
import type { Reader } from './changes/reader.ts';
import type { SessionEnds } from './channels/session-ends.ts';
import { createSessionChecks } from './session-checks.ts';
import type { Sockets } from './sockets.ts';
import type { DatabaseBus } from './topics/bus.ts';

const MAINTENANCE_MS = 5_000;
const PARTITIONS_MS = 3_600_000;

/** Listens to the database and runs the periodic tasks. Returns the function that stops both. */
export async function startWork(
  context: {
    readonly db: Database;
    readonly log: Log;
    readonly reader: Reader;
    readonly bus: DatabaseBus | null;
    readonly changes: ChangeFeed;
    readonly sockets: Sockets;
    readonly ends: SessionEnds;
  },
  leaseSeconds: number,
): Promise<() => Promise<void>> {
  const { db, log, reader, bus, changes } = context;
  const checks = createSessionChecks(context.sockets, context.ends, log);
  const stops = [
    await db.listen('realtime_changes', () => reader.wake()),
    await db.listen('realtime_sessions', checks.note),
  ];
  const keepPartitions = async (): Promise<void> => {
    await db.query('select realtime.maintain_messages(clock_timestamp())');
  };
  const tasks = [
    { everyMs: (leaseSeconds * 1000) / 4, run: async () => bus?.maintain() },
    { everyMs: MAINTENANCE_MS, run: changes.maintain },
    { everyMs: PARTITIONS_MS, run: keepPartitions },
  ];
  for (const { run } of tasks) await run();
  const stopTasks = tasks.map(({ everyMs, run }) => repeat(everyMs, run, log));
  return async () => {
    checks.stop();
    await Promise.all(stopTasks.map((stop) => stop()));
    await Promise.all(stops.map((stop) => stop()));
  };
}

/** Runs a task repeatedly, but never twice at once. Returns the function that stops it and waits for a running task. */
function repeat(everyMs: number, run: () => Promise<unknown>, log: Log): () => Promise<void> {
  let running = Promise.resolve();
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    running = run()
      .catch((error: unknown) =>
        log.error({ err: error }, 'realtime maintenance failed and runs again in its next round'),
      )
      .then(() => void (busy = false));
  }, everyMs);
  timer.unref();
  return () => {
    clearInterval(timer);
    return running;
  };
}
