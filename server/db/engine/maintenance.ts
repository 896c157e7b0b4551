import type { Embedded } from '../pglite.ts';

/** What the embedded engine does not do by itself: checkpoints, vacuum, giving memory back. */
export type Maintenance = {
  /** One round, which happens by itself every ten seconds. */
  look(): Promise<void>;
  stop(): Promise<void>;
};

export type MaintenanceOptions = {
  readonly warn: (line: string) => void;
  readonly now?: () => number;
  /** Megabytes of the engine's memory (it opens with 128) above which it is given back at the next quiet moment. */
  readonly heapMax?: number;
};

const LOOK_EVERY_MS = 10_000;
/** Megabytes written since the last checkpoint that are not left for the next start to read again. */
const WRITTEN_MAX = 16;
const CHECKPOINT_EVERY_MS = 5 * 60_000;
const HOUR_MS = 3_600_000;
/** The quiet hours are 16:00 to 18:59 UTC, night in eastern Australia all year. */
const QUIET_FROM = 16;
const QUIET_TO = 19;
const VACUUM_EVERY_MS = 20 * HOUR_MS;
/** After that long without a night the hour does not matter. */
const VACUUM_LATEST_MS = 48 * HOUR_MS;
/** A start is not made slower by it. */
const VACUUM_AFTER_START_MS = 60_000;
const HEAP_MAX = 384;
const RECYCLE_EVERY_MS = 60_000;

const WRITTEN = `select (pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn) / 1048576)::float8 as megabytes from pg_control_checkpoint()`;
const TABLES = `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind in ('r', 'm') and n.nspname not in ('information_schema', 'pg_toast') and not c.relisshared order by c.oid`;
const LAST_VACUUM = `select (value #>> '{}')::float8 as at from private.settings where name = 'last_vacuum'`;
const NOTE_VACUUM = `insert into private.settings (name, value) values ('last_vacuum', to_jsonb($1::float8)) on conflict (name) do update set value = excluded.value`;

/** Looks after the engine every ten seconds until it is stopped. Each statement takes its turn, so that requests pass between them. */
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
    const written = (await db.one<{ megabytes: number }>(WRITTEN))?.megabytes ?? 0;
    const due = written > WRITTEN_MAX || (written > 0.1 && now() - checkpointAt > CHECKPOINT_EVERY_MS);
    if (!due) return;
    await db.script('checkpoint');
    checkpointAt = now();
  }

  async function vacuum(): Promise<void> {
    if (now() - began < VACUUM_AFTER_START_MS) return;
    vacuumAt ??= (await db.one<{ at: number }>(LAST_VACUUM))?.at ?? 0;
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

  async function giveBack(): Promise<void> {
    if (db.heapMegabytes() <= heapMax || now() - recycledAt < RECYCLE_EVERY_MS || !db.idle()) return;
    recycledAt = now();
    await db.recycle();
  }

  const look = async (): Promise<void> => {
    for (const step of [checkpoint, vacuum, giveBack]) {
      if (stopped) return;
      await step().catch((error: unknown) => {
        if (!stopped)
          warn(`${step.name} of the database failed: ${error instanceof Error ? error.message : String(error)}`);
      });
    }
  };
  const lookNext = (): Promise<void> => (round = round.then(look));
  const timer = setInterval(() => void lookNext(), LOOK_EVERY_MS);
  timer.unref();
  return {
    look: lookNext,
    async stop() {
      stopped = true;
      clearInterval(timer);
      await round;
    },
  };
}

/** Frees what dead rows hold and counts anew what the planner goes by, table by table. */
export async function vacuumAll(db: Pick<Embedded, 'query' | 'script'>, isStopped: () => boolean): Promise<void> {
  const { rows } = await db.query<{ name: string }>(TABLES);
  for (const { name } of rows) {
    if (isStopped()) return;
    await db.script(`vacuum (analyze) ${name}`);
  }
}
