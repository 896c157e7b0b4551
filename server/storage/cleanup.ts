import type { Database } from '#server/db/database.ts';
import type { Clock } from '#server/http/caller.ts';
import type { ObjectStore } from '#server/providers/ports.ts';
import { deleteBytes } from './core/store.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const BATCH = 500;

/**
 * Deletes objects past their bucket's retention, abandoned uploads, and bytes that no row refers to. Several processes may run it at once.
 */
export function createCleanup(context: { db: Database; store: ObjectStore; clock: Clock }): () => Promise<void> {
  const { db, store, clock } = context;
  let listed = clock().getTime();
  return async () => {
    const now = clock();
    await db.query(
      `delete from storage.objects o using storage.buckets b where b.id = o.bucket_id and b.retention_seconds is not null
         and o.created_at < $1::timestamptz - make_interval(secs => b.retention_seconds)`,
      [now],
    );
    await db.query('delete from storage.uploads where expires_at <= $1::timestamptz', [now]);
    // Listing all stored bytes is expensive, so it happens only once an hour.
    if (Math.abs(now.getTime() - listed) >= HOUR_MS) {
      listed = now.getTime();
      for (const folder of ['objects', 'parts']) await markOrphans(folder, now);
    }
    const { rows } = await db.query<{ storage_key: string }>(
      'select storage_key from storage.deletion_queue where delete_at <= greatest($1::timestamptz, clock_timestamp()) order by delete_at limit $2::int',
      [now, BATCH],
    );
    for (const row of rows) await deleteBytes(db, store, row.storage_key);
  };

  /** Marks bytes over a day old that no row refers to. They remain after a crash, or when the restored database is older than they are. */
  async function markOrphans(folder: string, now: Date): Promise<void> {
    let keys: string[] = [];
    const mark = async (): Promise<void> => {
      await db.query(
        `insert into storage.deletion_queue (storage_key) select k from unnest($1::text[]) k
         where not exists (select from storage.objects o where o.storage_key = k) and not exists (select from storage.upload_parts p where p.storage_key = k)
         on conflict do nothing`,
        [keys],
      );
      keys = [];
    };
    for await (const { key, writtenAt } of store.list(folder)) {
      if (now.getTime() - writtenAt.getTime() > DAY_MS) keys.push(key);
      if (keys.length >= BATCH) await mark();
    }
    if (keys.length > 0) await mark();
  }
}
