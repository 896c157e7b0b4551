import type { Database, Principal, Query } from '../database.ts';
import { DatabaseError } from '../database.ts';

/** A streaming replica that answers reads of guests while it has what they may expect. */
export type Replica = {
  /** Whether the replica may answer this statement now. */
  mayAnswer(principal: Principal): boolean;
  /** Runs a read at the replica, and at the primary when the replica fails. */
  read<T>(atReplica: (db: Database) => Promise<T>, atPrimary: () => Promise<T>): Promise<T>;
  /** The caller has written: until the replica has that too, the primary answers the caller. */
  wrote(principal: Principal): void;
  /** The database has notified: its listeners read again and must find the change. */
  changed(): void;
  close(): Promise<void>;
};

type ReplicaOptions = {
  /** The database at the replica. It connects when it is first used. */
  readonly db: Database;
  /** Asks the primary. */
  readonly primary: Query;
  /** How old the replica's data may be. */
  readonly maxLagMs: number;
  readonly warn: (message: string) => void;
};

const COMPARE_MS = 200;
/** Connection lost, server starting or stopping, and a read that recovery has cancelled. */
const REPLICA_FAILED = /^(08|57P0|40001$)/;

/** The part of the log that the primary has written, and whether the replica has replayed it. */
const WRITTEN = `select pg_current_wal_insert_lsn()::text as position`;
const REPLAYED = `select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= $1::pg_lsn as "caughtUp"`;

/** Whether the statement cannot write, whatever its text. */
export const isRead = ({ settings }: Principal): boolean => settings?.['transaction_read_only'] === 'on';

/** Follows how far the replica has come: it compares the two servers' positions in the log again and again. */
export function createReplica({ db, primary, maxLagMs, warn }: ReplicaOptions): Replica {
  /** The replica has everything that the primary had at this moment, in milliseconds of `performance.now()`. */
  let completeTo = -Infinity;
  let changedAt = -Infinity;
  /** When callers wrote that the replica may not have yet. */
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
      // The replica or the primary does not answer: after `maxLagMs` the replica counts as behind.
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
