import { useEffect, useState } from 'react';
import { addDays, type StudioDate } from '#rules/studio-time.ts';
import { type Slot, slotKey } from '#rules/slots.ts';
import { compareHours, describeNews } from '#web/data/finding/hour-news.ts';
import type { Taken } from '#web/data/finding/taken.ts';
import { useBusiness } from '#web/lib/business/business.ts';

/** Time for which a change stays on the page. */
const MARKED_MS = 8_000;

type Rooms = readonly { readonly id: string; readonly name: string }[];
type TakenByStudio = ReadonlyMap<string, readonly Taken[]>;
type News = { readonly marked: ReadonlySet<string>; readonly sentence: string };
const NONE: News = { marked: new Set(), sentence: '' };

/** Returns the key of an hour of a room. */
export const cellKey = (studioId: string, slot: Slot): string => `${studioId} ${slotKey(slot)}`;

/**
 * Follows what other customers do to the hours of all rooms. Returns the cells that have just changed and an announcement about them, which
 * is '' if there is none.
 */
export function useRoomsNews(rooms: Rooms, date: StudioDate, taken: TakenByStudio | undefined, now: Date): News {
  const { horizonDays } = useBusiness();
  const [seen, setSeen] = useState<{ readonly date: StudioDate; readonly taken: TakenByStudio } | null>(null);
  const [news, setNews] = useState(NONE);
  // For another day, the comparison starts again: its hours are not news.
  if (taken !== undefined && seen?.taken !== taken) {
    setSeen({ date, taken });
    const found = seen?.date === date ? compareRooms(rooms, date, seen.taken, taken, now, horizonDays) : NONE;
    if (found.sentence !== '') setNews(found);
    else if (seen?.date !== date) setNews(NONE);
  }
  useEffect(() => {
    if (news === NONE) return undefined;
    const timer = setTimeout(() => setNews(NONE), MARKED_MS);
    return () => clearTimeout(timer);
  }, [news]);
  return news;
}

function compareRooms(
  rooms: Rooms,
  date: StudioDate,
  before: TakenByStudio,
  after: TakenByStudio,
  now: Date,
  horizonDays: number,
): News {
  const marked = new Set<string>();
  const sentences: string[] = [];
  for (const { id, name } of rooms)
    for (const day of [date, addDays(date, 1)]) {
      const found = compareHours(day, before.get(id) ?? [], after.get(id) ?? [], now, horizonDays);
      for (const hour of [...found.taken, ...found.freed]) marked.add(cellKey(id, { date: day, hour }));
      const words = describeNews(day, found);
      if (words !== '') sentences.push(`${name}: ${words}`);
    }
  return { marked, sentence: sentences.join(' ') };
}
