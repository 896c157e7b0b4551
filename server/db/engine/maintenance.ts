import type { Embedded } from './pglite.ts';

/** Maintenance that the embedded engine does not perform itself: checkpoints, vacuum and freeing memory. */
export type Maintenance = {
  /** Runs one round of maintenance, as happens every ten seconds. */
  runOnce(): Promise<void>;
  stop(): Promise<void>;
};

export type MaintenanceOptions = {
  readonly warn: (line: string) => void;
  readonly now?: () => number;
  /** Megabytes of the engine's memory (128 at the start) above which it is recycled when idle. */
  readonly heapMax?: number;
};

const ROUND_EVERY_MS = 10_000;
/** The megabytes written since the last checkpoint that trigger the next one: the next start would replay them. */
const WRITTEN_MAX = 16;
const CHECKPOINT_EVERY_MS = 5 * 60_000;
const HOUR_MS = 3_600_000;
/** Quiet hours are 16:00 to 18:59 UTC, which is night in eastern Australia all year. */
const QUIET_FROM = 16;
const QUIET_TO = 19;
const VACUUM_EVERY_MS = 20 * HOUR_MS;
/** After this long without a vacuum, one runs at any hour. */
const VACUUM_LATEST_MS = 48 * HOUR_MS;
/** No vacuum runs during start-up. */
const VACUUM_AFTER_START_MS = 60_000;
const HEAP_MAX = 384;
const RECYCLE_EVERY_MS = 60_000;

const WRITTEN = `select (pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn) / 1048576)::float8 as megabytes from pg_control_checkpoint()`;
const TABLES = `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind in ('r', 'm') and n.nspname not in ('information_schema', 'pg_toast') and not c.relisshared order by c.oid`;
const LAST_VACUUM = `select (value #>> '{}')::float8 as at from private.settings where name = 'last_vacuum'`;
const NOTE_VACUUM = `insert into private.settings (name, value) values ('last_vacuum', to_jsonb($1::float8)) on conflict (name) do update set value = excluded.value`;

/** Maintains the engine every ten seconds until stopped. Each statement takes its turn in the queue, so that requests run between them. */
export function startMaintenance(
  db: Embedded,
  { warn, now = Date.now, heapMax = HEAP_MAX }: MaintenanceOptions,
): Maintenance {
  const began = now();
  let checkpointAt = began;
  let recycledAt = began;
  let vacuumAt: number | null = null;
  let stopped = false;
  let round: Promise<void> = Promise.resolve();

  async function checkpoint(): Promise<void> {
    const written = (await db.queryRow<{ megabytes: number }>(WRITTEN))?.megabytes ?? 0;
    const due = written > WRITTEN_MAX || (written > 0.1 && now() - checkpointAt > CHECKPOINT_EVERY_MS);
    if (!due) return;
    await db.script('checkpoint');
    checkpointAt = now();
  }

  async function vacuum(): Promise<void> {
    if (now() - began < VACUUM_AFTER_START_MS) return;
    vacuumAt ??= (await db.queryRow<{ at: number }>(LAST_VACUUM))?.at ?? 0;
    const since = now() - vacuumAt;
    const hour = new Date(now()).getUTCHours();
    const quiet = hour >= QUIET_FROM && hour < QUIET_TO;
    if (since < VACUUM_EVERY_MS || (!quiet && since < VACUUM_LATEST_MS)) return;
    await vacuumAll(db, () => stopped);
    if (stopped) return;
    vacuumAt = now();
    await db.query(NOTE_VACUUM, [vacuumAt]);
    await db.script('checkpoint');
  }

  async function recycle(): Promise<void> {
    if (db.heapMegabytes() <= heapMax || now() - recycledAt < RECYCLE_EVERY_MS || !db.idle()) return;
    recycledAt = now();
    await db.recycle();
  }

  const runSteps = async (): Promise<void> => {
    for (const step of [checkpoint, vacuum, recycle]) {
      if (stopped) return;
      await step().catch((error: unknown) => {
        if (!stopped)
          warn(`${step.name} of the database failed: ${error instanceof Error ? error.message : String(error)}`);
      });
    }
  };
  const runOnce = (): Promise<void> => (round = round.then(runSteps));
  const timer = setInterval(() => void runOnce(), ROUND_EVERY_MS);
  timer.unref();
  return {
    runOnce,
    async stop() {
      stopped = true;
      clearInterval(timer);
      await round;
    },
  };
}

/** Frees dead rows and refreshes the planner's statistics, table by table. */
async function vacuumAll(db: Pick<Embedded, 'query' | 'script'>, isStopped: () => boolean): Promise<void> {
  const { rows } = await db.query<{ name: string }>(TABLES);
  for (const { name } of rows) {
    if (isStopped()) return;
    await db.script(`vacuum (analyze) ${name}`);
  }
}
