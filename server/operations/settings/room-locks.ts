import { ProviderError } from '#server/providers/call.ts';
import type { LockDevice } from '#server/providers/ports.ts';
import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';

/** A lock of our account, with the open room that uses it. */
type RoomLock = Pick<LockDevice, 'id' | 'name' | 'batteryPercent'> & { readonly room: string | null };

/** Lists the locks that can be assigned to a room. Throws `Refusal('provider_unavailable')`. */
export async function listLocks(services: Services): Promise<readonly RoomLock[]> {
  const [devices, rooms] = await Promise.all([readDevices(services), readOpenRooms(services)]);
  return devices
    .filter(({ isLock }) => isLock)
    .map(({ id, name, batteryPercent }) => ({ id, name, batteryPercent, room: rooms.get(id)?.name ?? null }));
}

/**
 * Checks that the lock service recognises a lock and that no other open room uses it. Called before a room is opened for booking. Throws
 * `Refusal`, even if the service is merely unreachable: a room opens for booking only if its door is known to open.
 */
export async function requireLock(services: Services, lockId: string, studioId: string | null): Promise<void> {
  const other = (await readOpenRooms(services)).get(lockId);
  if (other !== undefined && other.id !== studioId) throw lockTaken(other.name);
  const devices = await readDevices(services);
  if (devices.some(({ id }) => id === lockId)) return;
  throw new Refusal(
    'invalid_request',
    'The lock service does not know this lock. Choose one from the list, or check the ID for typos.',
    { field: 'room.lockId' },
  );
}

/** Builds the refusal for a lock that another open room uses. If two rooms shared a lock, each code would open both. */
export const lockTaken = (name: string | null): Refusal =>
  new Refusal('invalid_request', `${name ?? 'Another room'} already uses this lock. Each room needs its own lock.`, {
    field: 'room.lockId',
  });

async function readDevices({ locks }: Services): Promise<readonly LockDevice[]> {
  try {
    return (await locks.check()).devices;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    throw new Refusal(
      'provider_unavailable',
      'The lock service did not answer, so we couldn’t check the lock. Nothing was changed. Try again in a moment.',
      { field: 'room.lockId' },
    );
  }
}

/** Maps lock ids to the rooms that use them, among rooms that customers can book. */
async function readOpenRooms({
  db,
  studioLocks,
}: Services): Promise<ReadonlyMap<string, { readonly id: string; readonly name: string }>> {
  const { rows } = await db.query<{ id: string; name: string; lock: string | null }>(
    'select s.id, s.name, l.lock_id as lock from public.studios s left join private.studio_lock l on l.studio_id = s.id where s.active',
  );
  return new Map(
    rows.flatMap(({ id, name, lock }): [string, { id: string; name: string }][] => {
      const lockId = lock ?? studioLocks.get(id);
      return lockId === undefined ? [] : [[lockId, { id, name }]];
    }),
  );
}
