import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lightsWindow } from '#rules/business/session.ts';
import { pollWhile, useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { readRoom, type RoomSession, type SessionRoom } from './queries.ts';

const POLL_MS = 30_000;

/** Queries the room of a session, from the minutes before the session until the minutes after it, and follows its hours. */
export function useSessionRoom(session: RoomSession, online: boolean, now: Date): SessionRoom | undefined {
  const near = lightsWindow(session);
  const queryKey = queryKeys.sessionRoom.of('room', session.id, session.end.toISOString());
  const cached = useQueryClient().getQueryData<SessionRoom>(queryKey);
  const live = useLive(cached ? `studio:${cached.studioId}` : null, queryKeys.sessionRoom.all);
  return useQuery({
    queryKey,
    queryFn: () => readRoom(session),
    enabled: online && now >= near.start && now < near.end,
    refetchInterval: pollWhile(live, POLL_MS),
  }).data;
}
