import type { Database } from '#server/db/database.ts';
import { type UserRow, usersByIds } from './users.ts';

/**
 * Reads accounts for many who ask at the same time in one question: whoever asks while the next question is being gathered is answered by
 * it. Every answer is of a moment after its asking; nothing is remembered.
 */
export function createUserReader(db: Pick<Database, 'query'>): (id: string) => Promise<UserRow | null> {
  let gathering: { readonly ids: Set<string>; readonly found: Promise<ReadonlyMap<string, UserRow>> } | null = null;
  return async (id) => {
    if (gathering === null) {
      const ids = new Set<string>();
      const found = new Promise((resolve) => setImmediate(resolve)).then(async () => {
        gathering = null;
        return new Map((await usersByIds(db, [...ids])).map((user) => [user.id, user]));
      });
      gathering = { ids, found };
    }
    gathering.ids.add(id);
    return (await gathering.found).get(id) ?? null;
  };
}
