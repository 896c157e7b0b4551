import { type ReactNode, useRef } from 'react';
import { roomQuery } from '#rules/finding/room-link.ts';
import { roomSign, type SiteRoom } from '#rules/business/rooms.ts';
import { useRooms } from '#web/lib/business/business.ts';
import { paths } from '#web/lib/paths.ts';
import { Link } from '#web/router/router.tsx';
import { useRoomsNow } from './use-rooms-now.ts';

/** Lists the rooms with their pictures and whether each is free now. Above them is the price of an hour tonight. */
export function Rooms({ picture }: { picture: (room: SiteRoom) => ReactNode }) {
  const list = useRef<HTMLUListElement>(null);
  const parts = useRoomsNow(list);
  const rooms = useRooms();
  return (
    <>
      <p className="mb-8 min-h-9 text-2xl font-bold">{parts ? <parts.TonightPrice /> : null}</p>
      <ul ref={list} className="grid gap-x-6 gap-y-12 md:grid-cols-3">
        {rooms.map((room) => (
          <li key={room.id} className="group relative">
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
                {/* The whole card is a link, but it is announced as its heading only. */}
                <Link to={`${paths.booking}${roomQuery(room.id)}`} className="after:absolute after:inset-0">
                  {room.title === '' ? (
                    room.name
                  ) : (
                    <>
                      <span className="sr-only">{room.name}: </span>
                      {room.title}
                    </>
                  )}
                </Link>
              </h3>
              <p className="mt-2 max-w-xs text-fog">{room.summary}</p>
              <p className="mt-3 flex min-h-6 items-center gap-2 font-semibold">
                {parts ? <parts.RoomState name={room.name} /> : null}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}
