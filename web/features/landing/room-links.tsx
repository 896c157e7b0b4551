import { roomQuery } from '#rules/finding/room-link.ts';
import { formatMoney } from '#rules/money.ts';
import { useRooms } from '#web/lib/business/business.ts';
import { paths } from '#web/lib/paths.ts';
import { Link } from '#web/router/router.tsx';
import { useRoomsNow } from './use-rooms-now.ts';

/** What an hour costs, which room is free first, and each room to choose, in the first view of the page. */
export function RoomLinks() {
  const rooms = useRooms();
  const parts = useRoomsNow();
  if (rooms.length === 0) return null;
  const from = `From ${formatMoney(Math.min(...rooms.map(({ fromCents }) => fromCents)))} an hour`;
  return (
    <div className="mt-4 max-w-xl">
      <p className="min-h-7 text-lg font-bold">{parts ? <parts.NextFree from={from} /> : from}</p>
      <ul className="mt-3 grid auto-cols-fr grid-flow-col gap-2">
        {rooms.slice(0, 3).map(({ id, name }) => (
          <li key={id} className="contents">
            <Link
              to={`${paths.booking}${roomQuery(id)}`}
              className="poster flex min-h-12 items-center justify-center border-2 border-edge bg-night/80 px-2 text-center text-lg leading-none hover:border-chalk"
            >
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}
