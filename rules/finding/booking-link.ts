import { nextSlot, type Slot, slotKey, sortSlots } from '../slots.ts';
import { hourExists, isStudioDate } from '../studio-time.ts';
import { constants } from '../venue.ts';
import type { StudioHours } from '../nearest-free.ts';
import { roomQuery } from './room-link.ts';

/** Returns the query of the booking page that chooses a room and hours, such as `?room=…&from=2026-11-21T19&hours=3`. */
export function bookingQuery({ studioId, slots }: StudioHours): string {
  const [first] = sortSlots(slots);
  const room = roomQuery(studioId);
  return first ? `${room}&from=${slotKey(first)}&hours=${slots.length}` : room;
}

/** Parses such a query. Null if it names no room. Without valid hours, only the room is chosen. */
export function readBookingQuery(query: { get(name: string): string | null }): StudioHours | null {
  const studioId = query.get('room');
  if (studioId === null || studioId === '') return null;
  const [, date = '', hour = ''] = /^(\d{4}-\d{2}-\d{2})T(\d{2})$/.exec(query.get('from') ?? '') ?? [];
  const hours = Number(query.get('hours') ?? 1);
  const first: Slot = { date, hour: Number(hour) };
  const sound = isStudioDate(date) && first.hour < 24 && hourExists(date, first.hour);
  if (!sound || !Number.isInteger(hours) || hours < 1 || hours > constants.maxHours) return { studioId, slots: [] };
  return { studioId, slots: runFrom(first, hours) };
}

/** Returns `count` consecutive hours, beginning with `first`. */
export function runFrom(first: Slot, count: number): Slot[] {
  const slots = [first];
  for (let slot = first; slots.length < count; slots.push(slot)) slot = nextSlot(slot);
  return slots;
}
