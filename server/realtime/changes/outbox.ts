import type { Database } from '#server/db/database.ts';
import type { ChangeKind } from './bindings.ts';
import { splitFields } from './json-fields.ts';

/** A row of a table as JSON text per column. */
export type Image = Readonly<Record<string, string>>;

/** Returns the text of a column, or undefined if the image lacks it. */
export const getField = (image: Image | null, column: string): string | undefined =>
  image !== null && Object.hasOwn(image, column) ? image[column] : undefined;

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

export type OutboxRow = {
  readonly id: number;
  readonly relation: string;
  readonly operation: 'I' | 'U' | 'D' | 'M';
  /** JSON text. */
  readonly record: string | null;
  readonly old: string | null;
  readonly changed_at: Date;
  readonly message: SentMessage | null;
  readonly bytes: Uint8Array | null;
};

/**
 * The progress of a reader: it has read the rows visible in `snapshot` and, of those visible in `target`, the ones up to the id `after`.
 */
export type Position = {
  readonly snapshot: string;
  readonly target: string | null;
  readonly after: number;
  readonly epoch: string;
  /** The times of the reader's last read and of its last mark, by the clock of the database. */
  readonly at: Date;
  readonly markedAt: Date;
};

export type Page = {
  readonly rows: readonly OutboxRow[];
  readonly next: Position;
  /** Whether the same transactions have further rows. */
  readonly more: boolean;
  /** Whether changes may have been missed because the outbox was emptied or was not read for too long. */
  readonly gap: boolean;
};

/** Maximum number of rows in one read. */
export const PAGE_ROWS = 500;
/** The time for which the outbox keeps changes, in seconds. */
export const KEPT_SECONDS = 300;
/** After a longer absence a reader may have missed deleted rows. A minute less than `KEPT_SECONDS`. */
const LATE_MS = 240_000;
/** Minimum time between two marks, in milliseconds. */
const MARK_MS = 200;

const KINDS = { I: 'INSERT', U: 'UPDATE', D: 'DELETE' } as const;

const COLUMNS = `o.id, o.relation::text as relation, o.operation, o.record::text as record, o.old_record::text as old, o.changed_at,
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

/** Returns the position of a reader that begins now. */
export async function startPosition(db: Database): Promise<Position> {
  await db.query('insert into realtime.outbox_epoch default values on conflict do nothing');
  const row = await db.queryRow<{ snapshot: string; epoch: string | null; at: Date }>(
    `select pg_current_snapshot()::text as snapshot, clock_timestamp() as at,
       (select id::text from realtime.outbox_epoch) as epoch`,
  );
  if (!row || row.epoch === null) throw new Error('the outbox of table changes has no epoch');
  return { snapshot: row.snapshot, target: null, after: 0, epoch: row.epoch, at: row.at, markedAt: row.at };
}

/**
 * Reads the next rows. A row is new if its transaction was not visible in the last snapshot. A transaction that commits late is therefore
 * not missed, and a long one does not hold up the others. Rows and snapshot come from one statement, so that they belong together.
 */
export async function readPage(db: Database, position: Position): Promise<Page> {
  const { rows: found } = await db.query<OutboxRow & { current: string; epoch: string | null; at: Date }>(
    `select pg_current_snapshot()::text as current, clock_timestamp() as at,
       (select id::text from realtime.outbox_epoch) as epoch, ${COLUMNS}
     from (select) one left join (
       select * from realtime.outbox
       where xid >= pg_snapshot_xmin($1::pg_snapshot) and not pg_visible_in_snapshot(xid, $1::pg_snapshot)
         and ($2::pg_snapshot is null or (id > $3::bigint and pg_visible_in_snapshot(xid, $2::pg_snapshot)))
       order by id limit $4::int
     ) o on true order by o.id`,
    [position.snapshot, position.target, position.after, PAGE_ROWS],
  );
  const [first] = found;
  if (!first) throw new Error('the outbox of table changes gave no answer');
  if (first.epoch !== position.epoch || first.at.getTime() - position.at.getTime() > LATE_MS)
    return { rows: [], next: await startPosition(db), more: false, gap: true };
  const rows = found.filter((row) => row.id !== null);
  const target = position.target ?? first.current;
  const more = rows.length === PAGE_ROWS;
  const read = { ...position, at: first.at };
  if (more) return { rows, next: { ...read, target, after: rows.at(-1)?.id ?? 0 }, more, gap: false };
  const marks = rows.length > 0 && first.at.getTime() - position.markedAt.getTime() > MARK_MS;
  if (marks) await markSnapshot(db, target);
  const markedAt = marks ? first.at : position.markedAt;
  return { rows, next: { ...read, snapshot: target, target: null, after: 0, markedAt }, more, gap: false };
}

async function markSnapshot(db: Database, snapshot: string): Promise<void> {
  await db.query(
    'insert into realtime.outbox_mark (at, snapshot) values (clock_timestamp(), $1::pg_snapshot) on conflict do nothing',
    [snapshot],
  );
}

/** Returns the database's current snapshot as text: which transactions have ended. */
export async function currentSnapshot(db: Database): Promise<string> {
  const row = await db.queryRow<{ snapshot: string }>('select pg_current_snapshot()::text as snapshot');
  if (!row) throw new Error('the database gave no snapshot');
  return row.snapshot;
}

/**
 * Returns the next changes of some tables, after the id `after`, that a client may have missed after `since`: those visible in `snapshot`,
 * except those committed by the last mark before `since`. The client may already have received some of them.
 */
export async function readSince(
  db: Database,
  relations: readonly string[],
  { since, snapshot, after }: { since: Date; snapshot: string; after: number },
): Promise<readonly Change[]> {
  const { rows } = await db.query<OutboxRow>(
    `select ${COLUMNS} from realtime.outbox o
     where o.relation = any ($1::oid[]) and o.id > $3::bigint and pg_visible_in_snapshot(o.xid, $4::pg_snapshot)
       and not coalesce(pg_visible_in_snapshot(o.xid, (
         select m.snapshot from realtime.outbox_mark m where m.at <= $2::timestamptz order by m.at desc limit 1
       )), false)
     order by o.id limit $5::int`,
    [relations, since, after, snapshot, PAGE_ROWS],
  );
  return toBatch(rows).changes;
}

export function toBatch(rows: readonly OutboxRow[]): Batch {
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
              record: row.record === null ? null : splitFields(row.record),
              oldRecord: row.old === null ? null : splitFields(row.old),
              at: row.changed_at,
            },
          ],
    ),
  };
}

/**
 * Deletes changes that no client can request any more: those whose transactions had ended five minutes ago, regardless of when they began.
 * Also deletes expired table subscriptions and the readers of processes that have ended.
 */
export async function cleanOutbox(db: Database): Promise<void> {
  const mark = await db.queryRow<{ at: Date; snapshot: string }>(
    `select at, snapshot::text as snapshot from realtime.outbox_mark
     where at < clock_timestamp() - $1::int * interval '1 second' order by at desc limit 1`,
    [KEPT_SECONDS],
  );
  if (mark) {
    await db.query(
      `delete from realtime.outbox
       where xid < pg_snapshot_xmax($1::pg_snapshot) and pg_visible_in_snapshot(xid, $1::pg_snapshot)`,
      [mark.snapshot],
    );
    await db.query('delete from realtime.outbox_mark where at < $1::timestamptz', [mark.at]);
  }
  await db.query('select realtime.end_table_subscriptions()');
  await db.query('select realtime.remove_readers(null)');
}
