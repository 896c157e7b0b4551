import { useQuery, useQueryClient } from '@tanstack/react-query';
import { describeRoom, type RoomNow } from '#rules/finding/room-now.ts';
import { formatStudioTime, studioDate } from '#rules/studio-time.ts';
import { readTaken } from '#web/data/finding/availability.ts';
import { rest } from '#web/data/rest.ts';
import { pollWhile, useLive } from '#web/data/live.ts';
import { QueryProvider } from '#web/data/query-provider.tsx';
import { queryKeys } from '#web/data/query-keys.ts';
import { useNow } from '#web/lib/use-now.ts';

const POLL_MS = 60_000;
const TICK_MS = 15_000;
/** An answer older than this says nothing about now. */
const FRESH_MS = 150_000;
/** One hour more than `describeRoom` looks ahead: the clocks may go back. */
const AHEAD_MS = 25 * 3_600_000;

/** Says whether a room is free now. Nothing while that is unknown: before the answer, without a connection, after an error. */
export function RoomState({ name }: { name: string }) {
  return (
    <QueryProvider>
      <State name={name} />
    </QueryProvider>
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

/** Follows a room; null while its state is unknown. */
function useRoom(room: string): RoomNow | null {
  const now = useNow(TICK_MS);
  const { data, isError, dataUpdatedAt } = useRooms();
  if (data === undefined || isError || !navigator.onLine || now.getTime() - dataUpdatedAt > FRESH_MS) return null;
  const studio = data.studios.find(({ name }) => name === room);
  return studio ? describeRoom(data.taken.get(studio.id) ?? [], now) : null;
}

/** Queries what is taken in all rooms until this time tomorrow. */
function useRooms() {
  const client = useQueryClient();
  const known = client.getQueryData<Rooms>(queryKeys.roomsNow.of());
  const live = useLive(known?.studios.map(({ id }) => `studio:${id}` as const) ?? null, queryKeys.roomsNow.all);
  return useQuery({
    queryKey: queryKeys.roomsNow.of(),
    queryFn: readRooms,
    refetchInterval: pollWhile(live, POLL_MS),
  });
}

type Rooms = Awaited<ReturnType<typeof readRooms>>;
async function readRooms() {
  const now = new Date();
  const [studios, taken] = await Promise.all([
    rest.from('studios').select('id,name'),
    readTaken(null, now, new Date(now.getTime() + AHEAD_MS), null),
  ]);
  if (studios.error) throw studios.error;
  return { studios: studios.data, taken };
}

/** "Free now, until 9 pm". Times are Sydney's, and say so. */
function nameState(room: RoomNow, now: Date): string {
  const at = (time: Date): string =>
    `${formatStudioTime(time)}${studioDate(time) === studioDate(now) ? '' : ' tomorrow'} (Sydney time)`;
  if (room.state === 'later') return `Free from ${at(room.from)}`;
  if (room.state === 'free') return room.until === null ? 'Free now' : `Free now, until ${at(room.until)}`;
  return room.until === null ? 'Busy for the next 24 hours' : `Busy until ${at(room.until)}`;
}
