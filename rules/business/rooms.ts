/** A room as public pages show it. `photo`: a file of the bucket `rooms`, or `drawn-a` to `drawn-c` for a drawn picture; null without one. */
export type SiteRoom = {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly photo: string | null;
};

/** The rooms that the business begins with, as in database/seed/studios.sql. */
export const firstRooms: readonly SiteRoom[] = [
  {
    name: 'Studio A',
    title: 'The club rig',
    summary: 'Four decks on a raised booth, four-point sound, room for five.',
    photo: 'drawn-a',
  },
  {
    name: 'Studio B',
    title: 'The vinyl room',
    summary: 'Two turntables, a rotary mixer, and quiet enough to record.',
    photo: 'drawn-b',
  },
  {
    name: 'Studio C',
    title: 'The camera room',
    summary: 'Three cameras, soft light, and you take home a video of your set.',
    photo: 'drawn-c',
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
