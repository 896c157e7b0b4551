import type { RoomChange } from '#rules/business/room-change.ts';
import { DatabaseError } from '#server/db/database.ts';
import { callSql } from '../core/call-sql.ts';
import { Refusal } from '../core/refusal.ts';
import { checkAgain } from '../access/check-locks.ts';
import { SHARED_PLUG } from '../power/plugs.ts';
import { lockTaken, requireLock } from './room-locks.ts';
import type { Services } from '../core/services.ts';

/**
 * Adds or changes a room. A room can be opened for booking only with a lock that the lock service knows and that no other open room uses. A
 * renamed room keeps its lock, even one that the environment assigned to the old name. Returns the room's id. Throws `Refusal`.
 */
export async function setRoom(services: Services, { studioId, room }: RoomChange, actor: string): Promise<string> {
  const before = studioId === null ? null : await readRoom(services, studioId);
  const given = room.lockId ?? null;
  const lockId = given ?? before?.lockId ?? null;
  if (room.active === true && lockId === null)
    throw new Refusal(
      'invalid_request',
      'Choose a lock before the room can be booked. Without one, customers can’t get in.',
      {
        field: 'room.lockId',
      },
    );
  refuseUnknownPlug(services, room.plug ?? null);
  if (lockId !== null && takesLock(before, room, lockId)) await requireLock(services, lockId, studioId);
  const changes = { ...room, ...(given !== null || room.name !== undefined ? { lockId } : {}) };
  try {
    const id = await callSql(services.db, 'set_room', {
      p_studio: studioId,
      p_room: changes,
      p_actor: actor,
      p_now: services.clock(),
    });
    if (id === null) throw new Refusal('not_found', 'Studio not found');
    // Check the locks now, so that the page Today shows the state of a new lock immediately.
    await checkAgain(services, services.clock());
    return id;
  } catch (error) {
    if (error instanceof DatabaseError && error.constraint === 'studios_name_key')
      throw new Refusal('invalid_request', 'Another room has this name.', { field: 'room.name' });
    if (error instanceof DatabaseError && error.constraint === 'studio_lock_of_one_room') throw lockTaken(null);
    throw error;
  }
}

type RoomBefore = { readonly active: boolean; readonly lockId: string | null };

/** Reads the current room; null if it does not exist. Its own lock is read from the database, because `studioLocks` is updated a moment later. */
async function readRoom({ db, studioLocks }: Services, studioId: string): Promise<RoomBefore | null> {
  const row = await db.queryRow<RoomBefore>(
    `select s.active, l.lock_id as "lockId" from public.studios s left join private.studio_lock l on l.studio_id = s.id where s.id = $1::uuid`,
    [studioId],
  );
  return row && { ...row, lockId: row.lockId ?? studioLocks.get(studioId) ?? null };
}

/** Returns whether a room that customers can book starts to use a lock, because it opens or gets a different one. */
function takesLock(before: RoomBefore | null, room: RoomChange['room'], lockId: string): boolean {
  const isOpen = before?.active === true;
  if (!(room.active ?? isOpen)) return false;
  return !isOpen || before.lockId !== lockId;
}

/**
 * Requires that the plug is set up. Staff only choose a plug by name; its address is set by the operator, so that staff cannot make the
 * server call other addresses.
 */
function refuseUnknownPlug({ plugs }: Services, name: string | null): void {
  if (name === null || plugs.has(name)) return;
  const names = [...plugs.keys()].filter((plugName) => plugName !== SHARED_PLUG);
  throw new Refusal(
    'invalid_request',
    names.length === 0 ? 'The operator has not named any plugs.' : `Available plugs: ${names.join(', ')}.`,
    { field: 'room.plug' },
  );
}

/**
 * Orders the rooms as listed, followed by rooms that are not listed. If a listed room does not exist, throws `Refusal('not_found')` and
 * changes nothing.
 */
export async function orderRooms({ db }: Services, studioIds: readonly string[], actor: string): Promise<void> {
  const missing = await db.queryRow(
    'select from unnest($1::uuid[]) as listed (id) where not exists (select from public.studios s where s.id = listed.id) limit 1',
    [studioIds],
  );
  if (missing !== null) throw new Refusal('not_found', 'Studio not found');
  await callSql(db, 'order_rooms', { p_studios: studioIds, p_actor: actor });
}

/**
 * Periodic task: closes the hours outside the opening hours, for days that have come within the booking horizon and for the hours of
 * cancelled bookings.
 */
export async function followOpeningHours({ db, clock }: Services): Promise<void> {
  await callSql(db, 'follow_all_opening_hours', { p_now: clock() });
}
