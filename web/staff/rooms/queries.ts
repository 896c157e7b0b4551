import type { Room, RoomChange } from '#rules/business/room-change.ts';
import { callFunction, fetchClient } from '#web/data/fetch-client.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { rest } from '#web/data/rest.ts';
import { apiUrl, publicKey } from '#web/data/server.ts';
import { FAILED, readFailure } from '#web/lib/errors.ts';

/** A room with the number of its bookings that are not over. */
export type StaffRoom = { readonly id: string; readonly room: Room; readonly upcoming: number };

/** What a change of a room makes old. */
export const ROOM_CHANGES = [queryKeys.staffRooms.all, queryKeys.studios.all];

/** Reads all rooms in their order, the retired ones last. */
export async function readRooms(): Promise<StaffRoom[]> {
  const { data, error } = await rest.rpc('staff_rooms');
  if (error) throw error;
  // private.room_json() writes these fields.
  return data as unknown as StaffRoom[];
}

/** Adds or changes a room. Throws `AppError`. */
export function setRoom(change: RoomChange): Promise<unknown> {
  return callFunction('staff-set-room', change);
}

/** Orders the rooms. Throws `AppError`. */
export function orderRooms(order: readonly string[]): Promise<unknown> {
  return callFunction('staff-set-room', { order });
}

/** The endings that the bucket takes. */
const ENDINGS: Readonly<Record<string, string>> = { 'image/jpeg': 'jpg', 'image/png': 'png', 'image/webp': 'webp' };
export const PHOTO_TYPES = Object.keys(ENDINGS).join(',');

/** Uploads a photo and returns its name. `onProgress` gets a part of 1. `fetch` does not say how much it has sent. */
export async function uploadPhoto(photo: File, onProgress: (part: number) => void): Promise<string> {
  const { data } = await (await fetchClient()).auth.getSession();
  const name = `${crypto.randomUUID()}.${ENDINGS[photo.type] ?? 'jpg'}`;
  const request = new XMLHttpRequest();
  request.open('POST', `${apiUrl}/storage/v1/object/rooms/${name}`);
  request.setRequestHeader('apikey', publicKey);
  request.setRequestHeader('authorization', `Bearer ${data.session?.access_token ?? publicKey}`);
  request.setRequestHeader('content-type', photo.type);
  request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total));
  const sent = new Promise<void>((resolve, reject) => {
    request.addEventListener('load', () => resolve());
    request.addEventListener('error', () => reject(new Error(FAILED)));
  });
  request.send(photo);
  await sent;
  if (request.status >= 300) throw await readFailure(new Response(request.responseText, { status: request.status }));
  return name;
}
