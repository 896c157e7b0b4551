import { type Database, DatabaseError, type Principal, type Query } from '../database.ts';

/** A streaming replica that answers guests' reads while its data is recent enough. */
export type Replica = {
  /** Whether the replica may answer this statement now. */
  mayAnswer(principal: Principal): boolean;
  /** Runs a read at the replica, or at the primary if the replica fails. */
  read<T>(atReplica: (db: Database) => Promise<T>, atPrimary: () => Promise<T>): Promise<T>;
  /** Records that the caller has written: the primary answers this caller until the replica has that write. */
  wrote(principal: Principal): void;
  /** Records a notification from the database: listeners read again after it and must find the change. */
  changed(): void;
  close(): Promise<void>;
};

type ReplicaOptions = {
  /** The database at the replica. It connects at its first use. */
  readonly db: Database;
  /** Queries the primary. */
  readonly primary: Query;
  /** The maximum age of the replica's data. */
  readonly maxLagMs: number;
  readonly warn: (message: string) => void;
};

const COMPARE_MS = 200;
/** SQLSTATEs of a lost connection, a server that starts or stops, and a read that recovery has cancelled. */
const REPLICA_FAILED = /^(08|57P0|40001$)/;

/** The position in the log up to which the primary has written, and whether the replica has replayed it. */
const WRITTEN = `select pg_current_wal_insert_lsn()::text as position`;
const REPLAYED = `select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= $1::pg_lsn as "caughtUp"`;

/** Whether the transaction is read-only, whatever the text of the statement. */
export const isRead = ({ settings }: Principal): boolean => settings?.['transaction_read_only'] === 'on';

/** Tracks how current the replica is by comparing the two servers' positions in the log every `COMPARE_MS`. */
export function createReplica({ db, primary, maxLagMs, warn }: ReplicaOptions): Replica {
  /** The replica has all changes that the primary had at this moment, in milliseconds of `performance.now()`. */
  let completeTo = -Infinity;
  let changedAt = -Infinity;
  /** When each caller last wrote, for writes that the replica might not have yet. */
  const wroteAt = new Map<string, number>();
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let wasUsable: boolean | null = null;

  const isUsable = (): boolean => performance.now() - completeTo <= maxLagMs;

  async function compare(): Promise<void> {
    const askedAt = performance.now();
    try {
      const position = (await primary<{ position: string }>(WRITTEN)).rows[0]?.position;
      const { rows } = await db.query<{ caughtUp: boolean | null }>(REPLAYED, [position]);
      if (rows[0]?.caughtUp === true) completeTo = askedAt;
    } catch {
      // If the replica or the primary does not answer, the replica counts as behind after `maxLagMs`.
    }
    for (const [caller, at] of wroteAt) if (at < completeTo) wroteAt.delete(caller);
    report();
  }

  function report(): void {
    const usable = isUsable();
    if (usable !== wasUsable && (wasUsable !== null || !usable))
      warn(
        usable
          ? 'the replica has caught up and answers guests'
          : 'the replica is behind or down; the primary answers guests',
      );
    wasUsable = usable;
  }

  function repeat(): void {
    void compare().finally(() => {
      if (!closed) timer = setTimeout(repeat, COMPARE_MS).unref();
    });
  }
  repeat();

  return {
    mayAnswer(principal) {
      const { role, caller } = principal;
      const wrote = caller === undefined ? undefined : wroteAt.get(caller);
      return (
        role === 'anon' &&
        isRead(principal) &&
        isUsable() &&
        completeTo > changedAt &&
        (wrote === undefined || wrote < completeTo)
      );
    },
    async read(atReplica, atPrimary) {
      try {
        return await atReplica(db);
      } catch (error) {
        if (!(error instanceof DatabaseError && REPLICA_FAILED.test(error.code))) throw error;
        completeTo = -Infinity;
        report();
        return atPrimary();
      }
    },
    wrote({ caller }) {
      if (caller !== undefined) wroteAt.set(caller, performance.now());
    },
    changed() {
      changedAt = performance.now();
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await db.close();
    },
  };
}
