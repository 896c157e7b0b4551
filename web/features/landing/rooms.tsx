import { type ComponentType, type RefObject, useEffect, useRef, useState } from 'react';

const ROOMS = [
  { letter: 'A', name: 'The club rig', text: 'Four decks on a raised booth, four-point sound, room for five.' },
  { letter: 'B', name: 'The vinyl room', text: 'Two turntables, a rotary mixer, and quiet enough to record.' },
  { letter: 'C', name: 'The camera room', text: 'Three cameras, soft light, and you take home a video of your set.' },
] as const;

/** Lists the three rooms, and whether each is free now. */
export function Rooms() {
  const list = useRef<HTMLUListElement>(null);
  const State = useRoomState(list);
  return (
    <ul ref={list} className="grid border-t border-line md:grid-cols-3 md:divide-x md:divide-line">
      {ROOMS.map((room) => (
        <li
          key={room.letter}
          className="flex gap-5 border-b border-line py-7 md:block md:border-b-0 md:px-8 md:py-8 md:first:pl-0"
        >
          <span
            aria-hidden="true"
            className="block text-8xl leading-[0.8] font-black text-signal [font-stretch:62%] md:text-9xl"
          >
            {room.letter}
          </span>
          <div className="md:mt-7">
            <h3 className="text-2xl">
              <span className="sr-only">Studio {room.letter}: </span>
              {room.name}
            </h3>
            <p className="mt-2 max-w-xs text-fog">{room.text}</p>
            <p className="mt-3 flex min-h-6 items-center gap-2 font-semibold">
              {State ? <State letter={room.letter} /> : null}
            </p>
          </div>
        </li>
      ))}
    </ul>
  );
}

/** Fetches what shows the state of a room once the list is nearly in view: it needs the client, which is large. Null until then, and if it cannot be fetched. */
function useRoomState(list: RefObject<HTMLElement | null>): ComponentType<{ letter: string }> | null {
  const [part, setPart] = useState<{ State: ComponentType<{ letter: string }> } | null>(null);
  useEffect(() => {
    if (list.current === null) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        import('./rooms-now.tsx').then(
          ({ RoomState }) => setPart({ State: RoomState }),
          () => null,
        );
      },
      { rootMargin: '200px' },
    );
    observer.observe(list.current);
    return () => observer.disconnect();
  }, [list]);
  return part?.State ?? null;
}
