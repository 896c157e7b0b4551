import { type UserRow, usersByIds } from './users.ts';
import type { Queryable } from '#server/db/database.ts';

/**
 * Reads accounts in batches: concurrent calls share one query. A query starts after the calls that it serves, and nothing is cached, so no
 * call gets stale data.
 */
export function createUserReader(db: Queryable): (id: string) => Promise<UserRow | null> {
  let nextBatch: { readonly ids: Set<string>; readonly found: Promise<ReadonlyMap<string, UserRow>> } | null = null;
  return async (id) => {
    if (nextBatch === null) {
      const ids = new Set<string>();
      const found = new Promise((resolve) => setImmediate(resolve)).then(async () => {
        nextBatch = null;
        return new Map((await usersByIds(db, [...ids])).map((user) => [user.id, user]));
      });
      nextBatch = { ids, found };
    }
    nextBatch.ids.add(id);
    return (await nextBatch.found).get(id) ?? null;
  };
}
