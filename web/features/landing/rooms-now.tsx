import { useQuery, useQueryClient } from '@tanstack/react-query';
import { cheapestTonight } from '#rules/finding/any-room.ts';
import { bookingQuery } from '#rules/finding/booking-link.ts';
import { describeRoom, type RoomNow } from '#rules/finding/room-now.ts';
import { formatMoney } from '#rules/money.ts';
import { addDays, formatStudioTime, studioDate } from '#rules/studio-time.ts';
import { RATE_COLUMNS, toRates } from '#web/data/finding/rates.ts';
import { readRooms } from '#web/data/finding/availability.ts';
import { rest } from '#web/data/rest.ts';
import { pollWhile, useLive } from '#web/data/live.ts';
import { QueryProvider } from '#web/data/query-provider.tsx';
import { queryKeys } from '#web/data/query-keys.ts';
import { useBusiness } from '#web/lib/business/business.ts';
import { paths } from '#web/lib/paths.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Link } from '#web/router/router.tsx';

const POLL_MS = 60_000;
const TICK_MS = 15_000;
/** Milliseconds after which an answer is too old to describe the present state. */
const FRESH_MS = 150_000;

/** Shows whether a room is free now. Shows nothing while that is unknown: before the first answer, without a connection, or after an error. */
export function RoomState({ name }: { name: string }) {
  return (
    <QueryProvider>
      <State name={name} />
    </QueryProvider>
  );
}

/** Shows the price of tonight's cheapest free hour, with a link that chooses it. Shows nothing while the price is unknown or if no hour is free. */
export function TonightPrice() {
  return (
    <QueryProvider>
      <Tonight />
    </QueryProvider>
  );
}

function Tonight() {
  const { horizonDays } = useBusiness();
  const now = useNow(TICK_MS);
  const rooms = useFresh(now);
  if (rooms === null) return null;
  const priced = rooms.studios.map(({ id, rates }) => ({ studioId: id, rates, busy: rooms.taken.get(id) ?? [] }));
  const found = cheapestTonight(priced, now, horizonDays);
  if (found === null) return null;
  return (
    <Link
      to={`${paths.booking}${bookingQuery({ studioId: found.studioId, slots: [found.slot] })}`}
      className="underline decoration-signal decoration-4 underline-offset-8 hover:text-signal"
    >
      Tonight from {formatMoney(found.cents)} an hour
    </Link>
  );
}

function State({ name }: { name: string }) {
  const room = useRoom(name);
  const now = useNow(TICK_MS);
  if (room === null) return null;
  return (
    <>
      <span
        aria-hidden="true"
        className={`size-2.5 shrink-0 rounded-full ${room.state === 'free' ? 'bg-good' : 'bg-edge'}`}
      />
      <span className={room.state === 'free' ? 'text-good' : 'text-chalk'}>{nameState(room, now)}</span>
    </>
  );
}

/** Returns the current state of a room and keeps it up to date. Null while it is unknown. */
function useRoom(room: string): RoomNow | null {
  const now = useNow(TICK_MS);
  const rooms = useFresh(now);
  const studio = rooms?.studios.find(({ name }) => name === room);
  return rooms && studio ? describeRoom(rooms.taken.get(studio.id) ?? [], now) : null;
}

/** Returns the data about the rooms; null while it is missing or too old. */
function useFresh(now: Date): Rooms | null {
  const { data, isError, dataUpdatedAt } = useRooms();
  if (data === undefined || isError || !navigator.onLine || now.getTime() - dataUpdatedAt > FRESH_MS) return null;
  return data;
}

/** Queries the taken hours of all rooms, at least until this time tomorrow. */
function useRooms() {
  const client = useQueryClient();
  const cached = client.getQueryData<Rooms>(queryKeys.roomsNow.of());
  const live = useLive(cached?.studios.map(({ id }) => `studio:${id}` as const) ?? null, queryKeys.roomsNow.all);
  return useQuery({
    queryKey: queryKeys.roomsNow.of(),
    queryFn: readRoomsNow,
    refetchInterval: pollWhile(live, POLL_MS),
  });
}

type Rooms = Awaited<ReturnType<typeof readRoomsNow>>;
async function readRoomsNow() {
  const today = studioDate(new Date());
  const { data, error } = await rest
    .from('studios')
    .select(`id,name,${RATE_COLUMNS}`)
    .gte('special_days.last_day', addDays(today, -1))
    .eq('active', true);
  if (error) throw error;
  const studios = data.map((row) => ({ id: row.id, name: row.name, rates: toRates(row) }));
  // The day after tomorrow is included because tomorrow may be an hour shorter than `describeRoom` looks ahead.
  const days = { from: today, to: addDays(today, 2) };
  const ids = studios.map(({ id }) => id);
  return { studios, taken: await readRooms(ids, days, null) };
}

/** Describes the state of a room: "Free now, until 9 pm". Times are marked as Sydney's. */
function nameState(room: RoomNow, now: Date): string {
  const at = (time: Date): string =>
    `${formatStudioTime(time)}${studioDate(time) === studioDate(now) ? '' : ' tomorrow'} (Sydney time)`;
  if (room.state === 'later') return `Free from ${at(room.from)}`;
  if (room.state === 'free') return room.until === null ? 'Free now' : `Free now, until ${at(room.until)}`;
  return room.until === null ? 'Busy for the next 24 hours' : `Busy until ${at(room.until)}`;
}
