import type { Database } from '#server/db/database.ts';
import type { Log } from '#server/http/caller.ts';
import type { ChangeKind } from './bindings.ts';

/** A row of a table as JSON text per column. */
export type Image = Readonly<Record<string, string>>;

/** A committed change of one row. */
export type Change = {
  readonly id: number;
  readonly relation: string;
  readonly kind: ChangeKind;
  readonly record: Image | null;
  readonly oldRecord: Image | null;
  readonly at: Date;
};

/** A message that was inserted into `realtime.messages`. */
export type SentMessage = {
  readonly id: string;
  readonly topic: string;
  readonly isPrivate: boolean;
  readonly event: string;
  /** JSON text; null for a binary message. */
  readonly payload: string | null;
  readonly bytes: Uint8Array | null;
};

export type Batch = { readonly changes: readonly Change[]; readonly messages: readonly SentMessage[] };

export type Reader = {
  /** Reads what was committed since the last read, soon. */
  wake(): void;
  stop(): Promise<void>;
};

type OutboxRow = {
  readonly id: number;
  readonly relation: string;
  readonly operation: 'I' | 'U' | 'D' | 'M';
  readonly record: Image | null;
  readonly old: Image | null;
  readonly changed_at: Date;
  readonly message: SentMessage | null;
  readonly bytes: Uint8Array | null;
};

/** Time between two reads while changes arrive. */
const AWAKE_MS = 15;
/** How long a reader without changes stays awake: writers need not notify it. */
const QUIET_MS = 1_000;
/** A read without a notification, for the rare writer that saw the reader awake just before it fell asleep. */
const ASLEEP_MS = 1_000;
/** How often a reader shows that it is alive. */
const SEEN_MS = 20_000;
/** How long the outbox keeps changes for clients that connect again. */
export const KEPT_SECONDS = 300;
const BATCH_MAX = 1_000;

const KINDS = { I: 'INSERT', U: 'UPDATE', D: 'DELETE' } as const;

const IMAGE = (column: string): string => `(select jsonb_object_agg(key, value::text) from jsonb_each(o.${column}))`;

const COLUMNS = `o.id, o.relation::text as relation, o.operation, ${IMAGE('record')} as record, ${IMAGE('old_record')} as old, o.changed_at,
  case when o.operation = 'M' then (
    select jsonb_build_object('id', m.id, 'topic', m.topic, 'isPrivate', coalesce(m.private, false), 'event', coalesce(m.event, ''),
      'payload', m.payload::text)
    from realtime.messages m
    where m.id = (o.record ->> 'id')::uuid and m.inserted_at = (o.record ->> 'inserted_at')::timestamp
  ) end as message,
  case when o.operation = 'M' then (
    select m.binary_payload from realtime.messages m
    where m.id = (o.record ->> 'id')::uuid and m.inserted_at = (o.record ->> 'inserted_at')::timestamp
  ) end as bytes`;

/**
 * Reads the outbox of changes: every committed row exactly once. `snapshot` is the one of the last read. A row is new when its transaction
 * was not visible in it, so a transaction that commits late is not missed, and a long one does not hold up the others.
 */
export async function startReader(context: {
  db: Database;
  process: string;
  onBatch: (batch: Batch) => Promise<void>;
  log: Log;
}): Promise<Reader> {
  const { db, process, onBatch, log } = context;
  let snapshot = await readSnapshot(db);
  // The embedded engine has one connection: its notifications cost nothing, so its reader never looks by itself.
  const mayStayAwake = db.kind === 'postgres';
  let stopped = false;
  let woken = false;
  let awakeUntil = 0;
  let announced = { awake: false, at: Number.NEGATIVE_INFINITY };
  let endPause = (): void => undefined;

  const pause = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const wake = (): void => {
    woken = true;
    endPause();
  };

  /** Tells writers whether this reader looks by itself. */
  async function announce(awake: boolean): Promise<void> {
    const age = performance.now() - announced.at;
    if (awake === announced.awake && age < (awake ? QUIET_MS / 2 : SEEN_MS)) return;
    announced = { awake, at: performance.now() };
    await db.query(
      `insert into realtime.reader (process, awake_until, seen_at)
       values ($1::uuid, case when $2::boolean then clock_timestamp() + $3::numeric * interval '1 millisecond' else '-infinity' end, clock_timestamp())
       on conflict (process) do update set awake_until = excluded.awake_until, seen_at = excluded.seen_at`,
      [process, awake, QUIET_MS],
    );
  }

  async function readOnce(): Promise<void> {
    woken = false;
    const { rows, next } = await readNew(db, snapshot);
    snapshot = next;
    if (rows.length > 0) awakeUntil = performance.now() + QUIET_MS;
    const awake = mayStayAwake && performance.now() < awakeUntil;
    await announce(awake);
    if (rows.length > 0) await onBatch(batchOf(rows));
    if (!woken && !stopped) await pause(awake ? AWAKE_MS : ASLEEP_MS);
  }

  async function loop(): Promise<void> {
    while (!stopped) {
      try {
        await readOnce();
      } catch (error) {
        if (stopped) return;
        log.error({ err: error }, 'table changes could not be read');
        await pause(ASLEEP_MS);
      }
    }
  }

  await announce(false);
  const running = loop();
  return {
    wake,
    async stop() {
      stopped = true;
      wake();
      await running;
      await db.query('delete from realtime.reader where process = $1::uuid', [process]).catch(() => undefined);
    },
  };
}

async function readSnapshot(db: Database): Promise<string> {
  const row = await db.one<{ snapshot: string }>('select pg_current_snapshot()::text as snapshot');
  if (!row) throw new Error('the database gave no snapshot');
  return row.snapshot;
}

/** One statement, so that the rows and the snapshot belong together. */
async function readNew(db: Database, snapshot: string): Promise<{ rows: readonly OutboxRow[]; next: string }> {
  const { rows } = await db.query<OutboxRow & { snapshot: string }>(
    `select pg_current_snapshot()::text as snapshot, ${COLUMNS}
     from (select) one left join realtime.outbox o
       on o.xid >= pg_snapshot_xmin($1::pg_snapshot) and not pg_visible_in_snapshot(o.xid, $1::pg_snapshot)
     order by o.id`,
    [snapshot],
  );
  const next = rows[0]?.snapshot ?? snapshot;
  return { rows: rows.filter((row) => row.id !== null), next };
}

/** The changes of some tables that were kept, for a client that connects again. */
export async function readSince(db: Database, relations: readonly string[], since: Date): Promise<readonly Change[]> {
  const { rows } = await db.query<OutboxRow>(
    `select ${COLUMNS} from realtime.outbox o
     where o.changed_at > $2::timestamptz and o.relation = any ($1::oid[]) order by o.id limit $3::int`,
    [relations, since, BATCH_MAX],
  );
  return batchOf(rows).changes;
}

function batchOf(rows: readonly OutboxRow[]): Batch {
  return {
    messages: rows.flatMap(({ message, bytes }) => (message === null ? [] : [{ ...message, bytes }])),
    changes: rows.flatMap(({ operation, ...row }) =>
      operation === 'M'
        ? []
        : [
            {
              id: row.id,
              relation: row.relation,
              kind: KINDS[operation],
              record: row.record,
              oldRecord: row.old,
              at: row.changed_at,
            },
          ],
    ),
  };
}

/** Deletes changes that no client can ask for any more, and what processes left behind that have ended. */
export async function cleanOutbox(db: Database): Promise<void> {
  await db.query(`delete from realtime.outbox where changed_at < clock_timestamp() - $1::int * interval '1 second'`, [
    KEPT_SECONDS,
  ]);
  await db.query('delete from realtime.interest where until < clock_timestamp()');
  await db.query(`delete from realtime.reader where seen_at < clock_timestamp() - interval '1 minute'`);
}
