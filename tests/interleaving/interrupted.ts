import type { Database, Transaction } from '#server/db/database.ts';
import { Refusal } from '#server/operations/core/refusal.ts';
import { ProviderError } from '#server/providers/call.ts';
import { currentPoint, LOCK } from './points.ts';

/** A change by another caller, made through this database: the operation's transaction, or the database itself (`isOutside`). */
export type Change = (db: Database, isOutside: boolean) => Promise<unknown>;
/** Makes `change` at the `at`-th point that a run passes. `lost` means that the change may have been rolled back with a transaction. */
type Armed = { readonly at: number; readonly change: Change; passed: number; changed: boolean; lost: boolean };

export type Interrupter = {
  /** The database whose transactions can be interrupted. */
  readonly db: Database;
  /** Turns the calls of a port into points. */
  readonly follow: (name: string, port: object) => void;
  /** Runs `work` and makes the change at its `at`-th point. Without a change it only records the points passed. */
  run(work: () => Promise<unknown>, at?: number, change?: Change): Promise<Run>;
};
export type Run = {
  readonly points: readonly string[];
  /** Whether the change was made. */
  readonly changed: boolean;
  /** The error that the work threw, or null if it succeeded. */
  readonly error: unknown;
};

/**
 * Wraps a database so that the world can change exactly where an operation waits for a lock or a provider. At a lock the change runs in the
 * operation's own transaction just before the lock is taken, as if another transaction had committed it in the meantime. This is realistic
 * only until the first row is locked, because from then on another transaction would wait, so later locks are not points. A change that is
 * rolled back is made again.
 */
export function createInterrupter(inner: Database): Interrupter {
  let points: string[] | null = null;
  let armed: Armed | null = null;

  const pass = async (what: string, db: Database): Promise<boolean> => passNamed(pointNow(what), db);
  const pointNow = (what: string): string | null => (points === null ? null : currentPoint(what));

  /** Records a point, and makes the change if the point is the chosen one. Returns whether it did. */
  async function passNamed(name: string | null, db: Database): Promise<boolean> {
    if (points === null || armed === null || name === null) return false;
    points.push(name);
    armed.passed += 1;
    if (armed.passed !== armed.at) return false;
    armed.changed = true;
    // The points that the change itself passes do not belong to the operation.
    const recorded = points;
    points = null;
    await quietly(armed.change(db, db === inner));
    points = recorded;
    return true;
  }

  async function transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    let changed = false;
    try {
      return await inner.transaction((tx) => {
        let locked = false;
        const before = async (text: string): Promise<void> => {
          if (locked || !LOCK.test(text)) return;
          locked = !text.includes('pg_advisory_xact_lock');
          if (await pass('lock', within(inner, tx))) changed = true;
        };
        return work({
          query: async (text, values) => {
            await before(text);
            return tx.query(text, values);
          },
          queryRow: async (text, values) => {
            await before(text);
            return tx.queryRow(text, values);
          },
        });
      });
    } catch (error) {
      if (changed && armed !== null) armed.lost = true;
      throw error;
    }
  }

  const query: Database['query'] = async (text, values) => {
    if (LOCK.test(text)) await pass('lock', inner);
    return inner.query(text, values);
  };
  const queryRow: Database['queryRow'] = async (text, values) => {
    if (LOCK.test(text)) await pass('lock', inner);
    return inner.queryRow(text, values);
  };

  return {
    // Cast: the object inherits everything else from the database that it wraps.
    db: Object.assign(Object.create(inner) as Database, { transaction, query, queryRow }),
    follow(name, port) {
      for (const [call, work] of Object.entries(port)) {
        if (typeof work !== 'function') continue;
        Reflect.set(port, call, async (...values: unknown[]) => {
          const point = pointNow(`${name}.${call}`);
          // The call is on its way.
          await passNamed(point, inner);
          try {
            return await work.apply(port, values);
          } finally {
            // The provider has done the work, and its answer is on its way.
            await passNamed(point, inner);
          }
        });
      }
    },
    async run(work, at = 0, change = () => Promise.resolve()) {
      const recorded: string[] = [];
      points = recorded;
      const own: Armed = { at, change, passed: 0, changed: false, lost: false };
      armed = own;
      const error = await work().then(
        () => null,
        (thrown: unknown) => thrown,
      );
      points = null;
      armed = null;
      if (own.lost) await quietly(change(inner, true));
      return { points: recorded, changed: own.changed, error };
    },
  };
}

/** Presents a running transaction as a database. A failing change is rolled back to a savepoint, without the rest of the transaction. */
function within(inner: Database, tx: Transaction): Database {
  // Cast: as above.
  return Object.assign(Object.create(inner) as Database, {
    query: tx.query,
    queryRow: tx.queryRow,
    transaction: async <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => {
      await tx.query('savepoint change');
      try {
        const done = await work(tx);
        await tx.query('release savepoint change');
        return done;
      } catch (error) {
        await tx.query('rollback to savepoint change');
        throw error;
      }
    },
  });
}

/** Waits for a change, and ignores its error if it was refused and therefore had no effect. */
async function quietly(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!isExpected(error)) throw error;
  });
}

/** Returns whether an error is an expected outcome of an operation rather than a bug. */
export const isExpected = (error: unknown): boolean => error instanceof Refusal || error instanceof ProviderError;
