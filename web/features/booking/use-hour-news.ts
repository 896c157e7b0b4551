import { useEffect, useState } from 'react';
import type { Slot } from '#rules/slots.ts';
import type { StudioDate } from '#rules/studio-time.ts';
import type { Taken } from '#web/data/finding/taken.ts';
import { useBusiness } from '#web/lib/business/business.ts';
import { addNews, compareHours, describeNews, type HourNews, NO_NEWS } from '#web/data/finding/hour-news.ts';

/** Changes that follow each other this closely are announced together. */
const TOGETHER_MS = 1_200;
/** Time for which an announced change stays on the page. */
const MARKED_MS = 8_000;

type Seen = { readonly of: string; readonly taken: readonly Taken[] };

/**
 * Follows what other customers do to the hours of a day. `marked`: hours that have just changed; `sentence`: the announcement about them,
 * or ''. Hours of the customer's own selection that were lost (`lost`) are only marked, because they are reported elsewhere.
 */
export function useHourNews(options: {
  studioId: string | null;
  date: StudioDate;
  taken: readonly Taken[] | undefined;
  lost: readonly Slot[];
  now: Date;
}): { readonly marked: readonly number[]; readonly sentence: string } {
  const { studioId, date, taken, lost, now } = options;
  const { horizonDays } = useBusiness();
  const [seen, setSeen] = useState<Seen | null>(null);
  /** News that was not announced yet. */
  const [fresh, setFresh] = useState<HourNews>(NO_NEWS);
  const [announced, setAnnounced] = useState<HourNews>(NO_NEWS);
  const of = `${studioId} ${date}`;
  // For another day or studio, the comparison starts again: its hours are not news.
  if (taken !== undefined && (seen?.of !== of || seen.taken !== taken)) {
    setSeen({ of, taken });
    const found = seen?.of === of ? compareHours(date, seen.taken, taken, now, horizonDays) : null;
    if (found === null) {
      setAnnounced(NO_NEWS);
      setFresh(NO_NEWS);
    } else if (found.taken.length + found.freed.length > 0) setFresh(addNews(fresh, found));
  }
  useEffect(() => {
    if (fresh === NO_NEWS) return undefined;
    const timer = setTimeout(() => {
      setAnnounced(fresh);
      setFresh(NO_NEWS);
    }, TOGETHER_MS);
    return () => clearTimeout(timer);
  }, [fresh]);
  useEffect(() => {
    if (announced === NO_NEWS) return undefined;
    const timer = setTimeout(() => setAnnounced(NO_NEWS), MARKED_MS);
    return () => clearTimeout(timer);
  }, [announced]);
  const isLost = (hour: number): boolean => lost.some((slot) => slot.date === date && slot.hour === hour);
  const others = { taken: announced.taken.filter((hour) => !isLost(hour)), freed: announced.freed };
  const marked = [fresh, announced].flatMap(({ taken: gone, freed }) => [...gone, ...freed]);
  return { marked, sentence: describeNews(date, others) };
}
