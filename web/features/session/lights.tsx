import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '#web/data/query-keys.ts';
import { isRefused } from '#web/lib/errors.ts';
import { Failure } from '#web/lib/business/failure.tsx';
import { bigButton } from './big-button.ts';
import { askLights, type RoomSession, type SessionLights } from './queries.ts';

/** Polling interval of the plug, because other people may switch the lights too. */
const POLL_MS = 60_000;

/** The lights of the customer's room, with one button that toggles them. */
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
        <p className="mt-2">Someone else needs these lights now, so they stay as they are.</p>
      )}
      <Failure action={change} text="The lights didn’t switch. Please try again." className="mt-2 font-semibold" />
    </div>
  );
}

const may = ({ allowed }: SessionLights, on: boolean): boolean => (on ? allowed.on : allowed.off);

/**
 * Shown if the state of the lights is unknown. `why`: the error, or null if the plug does not answer. If the phone's clock differs from the
 * server's, the server may refuse the request.
 */
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
