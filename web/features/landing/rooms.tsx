import { type ComponentType, type RefObject, useEffect, useRef, useState } from 'react';
import { roomSign } from '#rules/business/rooms.ts';
import { useRooms } from '#web/lib/business/business.ts';

/** Lists the rooms, and whether each is free now. */
export function Rooms() {
  const list = useRef<HTMLUListElement>(null);
  const State = useRoomState(list);
  const rooms = useRooms();
  return (
    <ul ref={list} className="grid border-t border-line md:grid-cols-3 md:divide-x md:divide-line">
      {rooms.map((room) => (
        <li
          key={room.name}
          className="flex gap-5 border-b border-line py-7 md:block md:border-b-0 md:px-8 md:py-8 md:first:pl-0"
        >
          <span
            aria-hidden="true"
            className="block text-8xl leading-[0.8] font-black text-signal [font-stretch:62%] md:text-9xl"
          >
            {roomSign(room.name)}
          </span>
          <div className="md:mt-7">
            <h3 className="text-2xl">
              {room.title === '' ? (
                room.name
              ) : (
                <>
                  <span className="sr-only">{room.name}: </span>
                  {room.title}
                </>
              )}
            </h3>
            <p className="mt-2 max-w-xs text-fog">{room.summary}</p>
            <p className="mt-3 flex min-h-6 items-center gap-2 font-semibold">
              {State ? <State name={room.name} /> : null}
            </p>
          </div>
        </li>
      ))}
    </ul>
  );
}

/** Fetches what shows the state of a room once the list is nearly in view: it needs the client, which is large. Null until then, and if it cannot be fetched. */
function useRoomState(list: RefObject<HTMLElement | null>): ComponentType<{ name: string }> | null {
  const [part, setPart] = useState<{ State: ComponentType<{ name: string }> } | null>(null);
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
