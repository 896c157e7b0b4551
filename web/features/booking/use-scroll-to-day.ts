import { type RefObject, useEffect, useEffectEvent } from 'react';
import { useSearchParams } from '#web/router/router.tsx';
import type { Choice } from './use-choice.ts';

type Part = RefObject<HTMLElement | null>;

/**
 * Returns a function that scrolls to the day. On a phone it scrolls to the row of rooms, so that rooms, days and hours fit on the screen
 * together. Also scrolls automatically once a link has chosen a room, or hours that are not free, because the nearest free hours are
 * offered above the grid.
 */
export function useScrollToDay(choice: Pick<Choice, 'studio' | 'lost'>, roomPart: Part, dayPart: Part): () => void {
  const [search] = useSearchParams();
  const room = search.get('room');
  function scrollToDay(): void {
    const matches = (query: string): boolean => window.matchMedia(query).matches;
    const behavior = matches('(prefers-reduced-motion: reduce)') ? 'auto' : 'smooth';
    requestAnimationFrame(() =>
      (matches('(min-width: 48rem)') ? dayPart : roomPart.current ? roomPart : dayPart).current?.scrollIntoView({
        behavior,
        block: 'start',
      }),
    );
  }
  const scroll = useEffectEvent(scrollToDay);
  const goesToDay = choice.lost?.linked === true || (room !== null && room === choice.studio?.id);
  useEffect(() => {
    if (goesToDay) scroll();
  }, [goesToDay]);
  return scrollToDay;
}
