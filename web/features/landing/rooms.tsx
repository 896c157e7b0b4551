import { type ComponentType, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { roomSign, type SiteRoom } from '#rules/business/rooms.ts';
import { useRooms } from '#web/lib/business/business.ts';

/** Lists the rooms with their pictures, and whether each is free now; above them what an hour of tonight costs. */
export function Rooms({ picture }: { picture: (room: SiteRoom) => ReactNode }) {
  const list = useRef<HTMLUListElement>(null);
  const parts = useRoomParts(list);
  const rooms = useRooms();
  return (
    <>
      <p className="mb-8 min-h-9 text-2xl font-bold">{parts ? <parts.Tonight /> : null}</p>
      <ul ref={list} className="grid gap-x-6 gap-y-12 md:grid-cols-3">
        {rooms.map((room) => (
          <li key={room.name} className="group">
            <div className="relative overflow-hidden bg-booth [&_img]:transition-transform [&_img]:duration-700 [&_img]:ease-drop group-hover:[&_img]:scale-104">
              {picture(room)}
              <span
                aria-hidden="true"
                className="absolute inset-0 bg-linear-to-t from-night via-night/40 via-30% to-transparent"
              />
              <span
                aria-hidden="true"
                className="absolute -bottom-2 left-4 block text-8xl leading-[0.8] font-black text-signal [font-stretch:62%] sm:text-9xl"
              >
                {room.photo === null ? '' : roomSign(room.name)}
              </span>
            </div>
            <div className="pt-7">
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
