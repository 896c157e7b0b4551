import { formatMoney } from '../money.ts';
import { venue } from '../venue.ts';

/** A room as public pages show it. `photo`: a file in the bucket `rooms`, `drawn-a` to `drawn-c` for a drawn picture, or null. */
export type SiteRoom = {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly description: string;
  readonly features: readonly string[];
  readonly photo: string | null;
  /** The lowest price of an hour today, without discounts. */
  readonly fromCents: number;
  /** Whether every hour of the week is open. */
  readonly alwaysOpen: boolean;
};

/** The initial rooms, as in database/seed/studios.sql. */
export const firstRooms: readonly SiteRoom[] = [
  {
    id: '5a000000-0000-4000-8000-00000000000a',
    name: 'Studio A',
    title: 'The club rig',
    summary: 'Four decks on a raised booth, four-point sound, room for five.',
    description:
      'The main room. A full club rig on a raised booth, a tuned four-stack and space for five. Built for long blends and full rehearsals.',
    features: ['4 × CDJ-3000', 'DJM-A9 mixer', 'Four-point club sound', 'Booth monitors', 'Haze and moving lights'],
    photo: 'drawn-a',
    fromCents: 4_900,
    alwaysOpen: true,
  },
  {
    id: '5a000000-0000-4000-8000-00000000000b',
    name: 'Studio B',
    title: 'The vinyl room',
    summary: 'Two turntables, a rotary mixer, and quiet enough to record.',
    description:
      'The vinyl room. Two turntables, a rotary mixer and warm monitors in a dead-quiet box. Made for digging, scratching and recording sets.',
    features: ['2 × SL-1200MK7', '2 × CDJ-3000', 'Rotary mixer', 'Near-field monitors', 'Multitrack recording'],
    photo: 'drawn-b',
    fromCents: 4_900,
    alwaysOpen: true,
  },
  {
    id: '5a000000-0000-4000-8000-00000000000c',
    name: 'Studio C',
    title: 'The camera room',
    summary: 'Three cameras, soft light, and you take home a video of your set.',
    description:
      'The camera room. A stream-ready booth with three fixed cameras, soft light and a clean feed, so a set leaves the room as a finished video.',
    features: ['2 × CDJ-3000', 'DJM-900NXS2 mixer', 'Three 4K cameras', 'Key and colour light', 'Live-stream feed'],
    photo: 'drawn-c',
    fromCents: 4_900,
    alwaysOpen: true,
  },
];

const NUMBERS = 'no one two three four five six seven eight nine ten'.split(' ');

/** Formats the number of rooms in words: "three rooms". */
export function countRooms(rooms: readonly SiteRoom[]): string {
  return `${NUMBERS[rooms.length] ?? rooms.length} ${rooms.length === 1 ? 'room' : 'rooms'}`;
}

/** Returns the sign of a room: the last word of its name if it is short, such as A, otherwise its first letter. */
export function roomSign(name: string): string {
  const last = name.trim().split(/\s+/).at(-1) ?? '';
  return (last.length <= 2 ? last : name.trim().slice(0, 1)).toUpperCase();
}

/** Describes briefly when the rooms are open: "24/7" if every hour of every room is open. */
export function openWords(rooms: readonly SiteRoom[]): string {
  return rooms.every(({ alwaysOpen }) => alwaysOpen) ? venue.hours : 'See the booking page';
}

/**
 * Fills the placeholders about the rooms in a text: `{rooms}` becomes "Three DJ studios", `{open}` becomes ", open 24/7" or nothing, and
 * `{from}` becomes the lowest price, such as "$49".
 */
export function fillOffer(text: string, rooms: readonly SiteRoom[]): string {
  const count = NUMBERS[rooms.length] ?? String(rooms.length);
  const studios = `${count.charAt(0).toUpperCase()}${count.slice(1)} DJ ${rooms.length === 1 ? 'studio' : 'studios'}`;
  const open = rooms.every(({ alwaysOpen }) => alwaysOpen) ? `, open ${venue.hours}` : '';
  const from =
    rooms.length === 0 ? '' : ` From ${formatMoney(Math.min(...rooms.map(({ fromCents }) => fromCents)))} an hour.`;
  return text.replaceAll('{rooms}', studios).replaceAll('{open}', open).replaceAll('{from}', from);
}
