import { roomQuery } from '#rules/finding/room-link.ts';
import { formatMoney } from '#rules/money.ts';
import { useRooms } from '#web/lib/business/business.ts';
import { paths } from '#web/lib/paths.ts';
import { Link } from '#web/router/router.tsx';
import { buttonStyle } from '#web/ui/button.tsx';
import { useNextFree } from './use-next-free.ts';

/** Shows the price of an hour, which room is free first, and a link to each room, in the first view of the page. */
export function RoomLinks() {
  const rooms = useRooms();
  const next = useNextFree();
  if (rooms.length === 0) return null;
  const from = `From ${formatMoney(Math.min(...rooms.map(({ fromCents }) => fromCents)))} an hour`;
  return (
    <>
      <p className="mt-4 content-end text-lg font-bold max-sm:min-h-14">
        {next === null ? (
          from
        ) : (
          <Link to={`${paths.booking}${next.query}`} className="underline">
            {next.words}
          </Link>
        )}
      </p>
      <ul className="mt-3 flex max-w-md flex-wrap gap-2">
        {rooms.map(({ id, name }) => (
          <li key={id} className="grid flex-1">
            <Link to={`${paths.booking}${roomQuery(id)}`} className={`${buttonStyle.plain} max-sm:px-2`}>
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
