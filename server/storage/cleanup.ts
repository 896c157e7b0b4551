import type { Database } from '#server/db/database.ts';
import type { Clock } from '#server/http/caller.ts';
import type { ObjectStore } from '#server/providers/ports.ts';
import { forget } from './store.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const AT_ONCE = 500;

/** Deletes what has been kept long enough, uploads nobody took up again, and bytes that belong to nothing. Safe in several processes. */
export function createCleanup(parts: { db: Database; store: ObjectStore; clock: Clock }): () => Promise<void> {
  const { db, store, clock } = parts;
  let searched = clock().getTime();
  return async () => {
    const now = clock();
    await db.query(
      `delete from storage.objects o using storage.buckets b where b.id = o.bucket_id and b.keep_seconds is not null
         and o.created_at < $1::timestamptz - make_interval(secs => b.keep_seconds)`,
      [now],
    );
    await db.query('delete from storage.uploads where expires_at <= $1::timestamptz', [now]);
    // Reading everything that is kept is for once an hour.
    if (Math.abs(now.getTime() - searched) >= HOUR_MS) {
      searched = now.getTime();
      for (const folder of ['objects', 'pieces']) await noteOrphans(folder, now);
    }
    const { rows } = await db.query<{ storage_key: string }>(
      'select storage_key from storage.removed where removed_at <= greatest($1::timestamptz, clock_timestamp()) order by removed_at limit $2::int',
      [now, AT_ONCE],
    );
    for (const row of rows) await forget(parts, row.storage_key);
  };

  /** Bytes that no row names and that nobody can still be writing: left by a crash, or by a database older than its files. */
  async function noteOrphans(folder: string, now: Date): Promise<void> {
    let keys: string[] = [];
    const note = async (): Promise<void> => {
      await db.query(
        `insert into storage.removed (storage_key) select k from unnest($1::text[]) k
         where not exists (select from storage.objects o where o.storage_key = k) and not exists (select from storage.upload_pieces p where p.storage_key = k)
         on conflict do nothing`,
        [keys],
      );
      keys = [];
    };
    for await (const { key, writtenAt } of store.list(folder)) {
      if (now.getTime() - writtenAt.getTime() > DAY_MS) keys.push(key);
      if (keys.length >= AT_ONCE) await note();
    }
    if (keys.length > 0) await note();
  }
}
