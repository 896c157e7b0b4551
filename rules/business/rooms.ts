import { formatMoney } from '../money.ts';
import { venue } from '../venue.ts';

/** A room as public pages show it. `photo`: a file of the bucket `rooms`, or `drawn-a` to `drawn-c` for a drawn picture; null without one. */
export type SiteRoom = {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly photo: string | null;
  /** The lowest price of an hour today, without discounts. */
  readonly fromCents: number;
  /** Whether every hour of the week is open. */
  readonly alwaysOpen: boolean;
};

/** The rooms that the business begins with, as in database/seed/studios.sql. */
export const firstRooms: readonly SiteRoom[] = [
  {
    name: 'Studio A',
    title: 'The club rig',
    summary: 'Four decks on a raised booth, four-point sound, room for five.',
    photo: 'drawn-a',
    fromCents: 4_900,
    alwaysOpen: true,
  },
  {
    name: 'Studio B',
    title: 'The vinyl room',
    summary: 'Two turntables, a rotary mixer, and quiet enough to record.',
    photo: 'drawn-b',
    fromCents: 4_900,
    alwaysOpen: true,
  },
  {
    name: 'Studio C',
    title: 'The camera room',
    summary: 'Three cameras, soft light, and you take home a video of your set.',
    photo: 'drawn-c',
    fromCents: 4_900,
    alwaysOpen: true,
  },
];

const NUMBERS = 'no one two three four five six seven eight nine ten'.split(' ');

/** How many rooms there are, in words: "three rooms". */
export function countRooms(rooms: readonly SiteRoom[]): string {
  return `${NUMBERS[rooms.length] ?? rooms.length} ${rooms.length === 1 ? 'room' : 'rooms'}`;
}

/** The sign of a room: the short last word of its name, such as A, or its first letter. */
export function roomSign(name: string): string {
  const last = name.trim().split(/\s+/).at(-1) ?? '';
  return (last.length <= 2 ? last : name.trim().slice(0, 1)).toUpperCase();
}

/** When the rooms are open, in a few words: "24/7" where every hour of every room is. */
export function openWords(rooms: readonly SiteRoom[]): string {
  return rooms.every(({ alwaysOpen }) => alwaysOpen) ? venue.hours : 'See the booking page';
}

/** Writes what the rooms offer into a text: `{rooms}` is "Three DJ studios", `{open}` ", open 24/7" or nothing, `{from}` the lowest price, such as "$49". */
export function fillOffer(text: string, rooms: readonly SiteRoom[]): string {
  const count = NUMBERS[rooms.length] ?? String(rooms.length);
  const studios = `${count.charAt(0).toUpperCase()}${count.slice(1)} DJ ${rooms.length === 1 ? 'studio' : 'studios'}`;
  const open = rooms.every(({ alwaysOpen }) => alwaysOpen) ? `, open ${venue.hours}` : '';
  const from =
    rooms.length === 0 ? '' : ` From ${formatMoney(Math.min(...rooms.map(({ fromCents }) => fromCents)))} an hour.`;
  return text.replaceAll('{rooms}', studios).replaceAll('{open}', open).replaceAll('{from}', from);
}
