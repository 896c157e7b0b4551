import type { Database } from '#server/db/database.ts';

/** Maximum time for which a subscription waits for transactions that began before it. */
const WAIT_MAX_MS = 5_000;
const POLL_MS = 5;
const LATE_POLL_MS = 500;

/**
 * $1: tables. Returns the transactions that hold the lock of a write. Each insert, update and delete takes it until its transaction ends.
 */
const WRITERS = `
  select coalesce(array_agg(distinct l.virtualtransaction), '{}') as writers from pg_catalog.pg_locks l
  where l.locktype = 'relation' and l.mode = 'RowExclusiveLock' and l.granted
    and l.database = (select oid from pg_catalog.pg_database where datname = current_database())
    and l.relation in (
      select wanted.relation from unnest($1::oid[]) as wanted (relation)
      union all select p.relid from unnest($1::oid[]) as wanted (relation), pg_catalog.pg_partition_tree(wanted.relation) p
    )`;

/**
 * Waits until the transactions that are writing to these tables now have ended, because they may have written before their table was
 * subscribed to. Returns those that are still open after five seconds. `late`: waits for these transactions alone, without a limit, until
 * `signal` aborts.
 */
export async function waitForWriters(
  db: Database,
  relations: readonly string[],
  follow?: { late: readonly string[]; signal: AbortSignal },
): Promise<readonly string[]> {
  const deadline = performance.now() + WAIT_MAX_MS;
  let waited = follow?.late ?? (await readWriters(db, relations));
  while (waited.length > 0) {
    if (follow ? follow.signal.aborted : performance.now() > deadline) return waited;
    await new Promise((done) => setTimeout(done, follow ? LATE_POLL_MS : POLL_MS).unref());
    const open = new Set(await readWriters(db, relations));
    waited = waited.filter((writer) => open.has(writer));
  }
  return waited;
}

async function readWriters(db: Database, relations: readonly string[]): Promise<readonly string[]> {
  const row = await db.queryRow<{ writers: readonly string[] }>(WRITERS, [relations]);
  return row?.writers ?? [];
}
