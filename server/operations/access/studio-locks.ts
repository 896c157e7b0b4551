import type { Database } from '#server/db/database.ts';

/** Reads which lock each active studio has: studio id → lock id. `locks`: name of the studio → lock id. */
export async function readStudioLocks(
  db: Pick<Database, 'query'>,
  locks: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const { rows } = await db.query<{ id: string; name: string }>('select id, name from public.studios where active');
  return new Map(
    rows.flatMap(({ id, name }): [string, string][] => {
      const lock = locks.get(name);
      return lock === undefined ? [] : [[id, lock]];
    }),
  );
}
