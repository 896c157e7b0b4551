import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError, isRefused } from '#web/lib/errors.ts';
import { bigButton } from './big-button.ts';
import { askLights, type RoomSession, type SessionLights } from './queries.ts';

/** Somebody else may switch them too: the plug is asked this often. */
const POLL_MS = 60_000;

/** The lights of the own room: one button for the other state. */
export function Lights({ session, online }: { session: RoomSession; online: boolean }) {
  const client = useQueryClient();
  const queryKey = queryKeys.sessionRoom.of('lights', session.id, session.end.toISOString());
  const lights = useQuery({
    queryKey,
    queryFn: () => askLights(session, null),
    enabled: online,
    refetchInterval: POLL_MS,
  });
  const change = useMutation({
    mutationFn: (on: boolean) => askLights(session, on),
    meta: { handled: true, invalidates: [] },
    onSuccess: (answer) => client.setQueryData(queryKey, answer),
    onError: () => void client.invalidateQueries({ queryKey }),
  });
  if (!online) return <p className="text-lg">No connection, so the lights can’t be switched from here.</p>;
  if (lights.data === undefined)
    return lights.isError ? <Unknown why={lights.error} onRetry={() => void lights.refetch()} /> : null;
  if (lights.data.on === null) return <Unknown why={null} onRetry={() => void lights.refetch()} />;
  const { on } = lights.data;
  return (
    <div>
      <button
        type="button"
        className={bigButton}
        disabled={change.isPending || !may(lights.data, !on)}
        aria-busy={change.isPending}
        onClick={() => change.mutate(!on)}
      >
        {on ? 'Lights off' : 'Lights on'}
      </button>
      {may(lights.data, !on) ? null : (
        <p className="mt-2">Somebody else needs these lights now, so they stay as they are.</p>
      )}
      {change.isError ? (
        <p role="alert" className="mt-2 font-semibold">
          {describeError(change.error, 'The lights didn’t switch. Please try again.')}
        </p>
      ) : null}
    </div>
  );
}

const may = ({ allowed }: SessionLights, on: boolean): boolean => (on ? allowed.on : allowed.off);

/** `why`: null if the plug does not answer. The clock of this phone may differ from that of the server, which then refuses. */
function Unknown({ why, onRetry }: { why: Error | null; onRetry: () => void }) {
  const isRefusal = isRefused<'session-lights'>(why, 'too_early', 'session_ended');
  return (
    <p className="text-lg">
      {isRefusal && why !== null ? why.message : 'The lights don’t answer right now.'}{' '}
      <button type="button" className="min-h-12 font-semibold underline" onClick={onRetry}>
        Try again
      </button>
    </p>
  );
}
