// Separate from rooms.ts, so that pages can show rooms without loading zod.
import { z } from 'zod';

const text = (min: number, max: number, needed = 'This is needed.') =>
  z.string().trim().min(min, needed).max(max, `Use at most ${max} characters.`);

/** The longest id that the tables of access codes and lock states can store. */
const LOCK_ID_MAX = 60;

/** What staff set for a room. Limits match the constraints of `public.studios`. */
export const roomSchema = z.strictObject({
  name: text(1, 80, 'Name the room.'),
  title: text(0, 80),
  summary: text(0, 300),
  description: text(0, 1000),
  features: z.array(text(1, 60)).max(12, 'List at most 12 things.'),
  photos: z
    .array(z.string().regex(/^(drawn-[abc]|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(jpg|png|webp))$/))
    .max(8, 'Use at most 8 photos.'),
  /** False if the room is retired: it keeps its bookings and takes no new ones. */
  active: z.boolean(),
  lockId: text(1, LOCK_ID_MAX).nullable(),
  /** A name in SHELLY_PLUGS. Null for the default plug of rooms without one. */
  plug: text(1, 80).nullable(),
  /** Whether the room is open in each hour of a week in Sydney. Sunday 12 AM comes first. */
  openHours: z.array(z.boolean()).length(168, 'A week has 168 hours.'),
});
export type Room = z.infer<typeof roomSchema>;

/** Adds a room (`studioId` is null), or changes the given fields of an existing one. */
export const roomChangeSchema = z
  .object({ studioId: z.uuid().nullable(), room: roomSchema.partial() })
  .refine(({ studioId, room }) => studioId !== null || room.name !== undefined, {
    path: ['room', 'name'],
    error: 'Name the room.',
  });
export type RoomChange = z.infer<typeof roomChangeSchema>;

/** The rooms in a new order. */
export const roomOrderSchema = z.object({ order: z.array(z.uuid()).min(1).max(200) });
