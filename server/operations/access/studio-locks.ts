import type { Queryable } from '#server/db/database.ts';

/**
 * Reads the lock of each studio into `locks` (studio id → lock id). The lock that staff set takes precedence over the one that the operator
 * named. Retired studios keep their lock for their existing bookings. `named`: studio name → lock id.
 */
export async function readStudioLocks(
  db: Queryable,
  named: ReadonlyMap<string, string>,
  locks: Map<string, string> = new Map(),
): Promise<Map<string, string>> {
  const { rows } = await db.query<{ id: string; name: string; lock: string | null }>(
    'select s.id, s.name, l.lock_id as lock from public.studios s left join private.studio_lock l on l.studio_id = s.id order by s.sort_order, s.name',
  );
  const found = rows.flatMap(({ id, name, lock }): [string, string][] => {
    const lockId = lock ?? named.get(name);
    return lockId === undefined ? [] : [[id, lockId]];
  });
  locks.clear();
  for (const [id, lockId] of found) locks.set(id, lockId);
  return locks;
}
