import { type ComponentType, type RefObject, useEffect, useRef, useState } from 'react';
import { roomSign } from '#rules/business/rooms.ts';
import { useRooms } from '#web/lib/business/business.ts';

/** Lists the rooms, and whether each is free now; above them what an hour of tonight costs. */
export function Rooms() {
  const list = useRef<HTMLUListElement>(null);
  const parts = useRoomParts(list);
  const rooms = useRooms();
  return (
    <>
      <p className="mb-8 min-h-9 text-2xl font-bold">{parts ? <parts.Tonight /> : null}</p>
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
                {parts ? <parts.State name={room.name} /> : null}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

type Parts = { readonly State: ComponentType<{ name: string }>; readonly Tonight: ComponentType };

/** Fetches what shows the state of the rooms once the list is nearly in view: it needs the client, which is large. Null until then, and if it cannot be fetched. */
function useRoomParts(list: RefObject<HTMLElement | null>): Parts | null {
  const [parts, setParts] = useState<Parts | null>(null);
  useEffect(() => {
    if (list.current === null) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        import('./rooms-now.tsx').then(
          ({ RoomState, TonightPrice }) => setParts({ State: RoomState, Tonight: TonightPrice }),
          () => null,
        );
      },
      { rootMargin: '200px' },
    );
    observer.observe(list.current);
    return () => observer.disconnect();
  }, [list]);
  return parts;
}
