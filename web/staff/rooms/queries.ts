import type { Room, RoomChange } from '#rules/business/room-change.ts';
import { type CallAnswer, callFunction } from '#web/data/fetch-client.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { rest } from '#web/data/rest.ts';

/** A room with the number of its bookings that have not ended, and whether it was ever open for sale. */
export type StaffRoom = {
  readonly id: string;
  readonly room: Room;
  readonly upcoming: number;
  readonly opened: boolean;
};

/** The queries that become stale when the order of the rooms changes. */
export const ORDER_CHANGES = [queryKeys.staffRooms.all, queryKeys.studios.all];
/** The queries that become stale when a room changes. */
export const ROOM_CHANGES = [...ORDER_CHANGES, queryKeys.roomLocks.all, queryKeys.alerts.all];

/** Reads all rooms in their order, retired rooms last. */
export async function readRooms(): Promise<StaffRoom[]> {
  const { data, error } = await rest.rpc('staff_rooms');
  if (error) throw error;
  // Cast: private.room_json() writes these fields.
  return data as unknown as StaffRoom[];
}

/** A lock of the provider, with the open room that uses it. */
export type RoomLock = CallAnswer<'staff-locks'>['locks'][number];

/** Lists the locks that a room can use. Throws `AppError` if the lock service does not answer. */
export async function readLocks(): Promise<readonly RoomLock[]> {
  return (await callFunction('staff-locks', {})).locks;
}

/** Adds or changes a room. Throws `AppError`. */
export function setRoom(change: RoomChange): Promise<unknown> {
  return callFunction('staff-set-room', change);
}

/** Orders the rooms. Throws `AppError`. */
export function orderRooms(order: readonly string[]): Promise<unknown> {
  return callFunction('staff-set-room', { order });
}
