import { useMutation, useQuery } from '@tanstack/react-query';
import { formatStudioDateTime } from '#rules/studio-time.ts';
import { pollWhile, useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { Button } from '#web/ui/button.tsx';
import { Loaded } from '#web/ui/progress.tsx';
import { toast } from '#web/ui/toast.tsx';
import { deviceName } from './device-name.ts';
import { endSession, type OwnSession, readSessions } from './queries.ts';

/** Polling interval without a live connection. */
const POLL_MS = 60_000;

/** Lists every signed-in device, this one first. Any other can be signed out here. */
export function OwnSessions({ userId }: { userId: string }) {
  const live = useLive(`user:${userId}`, queryKeys.sessions.all);
  const sessions = useQuery({
    queryKey: queryKeys.sessions.of(),
    queryFn: readSessions,
    refetchInterval: pollWhile(live, POLL_MS),
  });
  const ending = useMutation({
    mutationFn: endSession,
    meta: {
      failure: 'We couldn’t sign out that device. Please try again.',
      invalidates: [queryKeys.sessions.all],
    },
    onSuccess: () => toast({ title: 'Signed out', description: 'That device is signed out.' }),
  });
  return (
    <Loaded query={sessions} what="your devices" skeleton="h-24">
      {(own) => (
        <ul className="divide-y divide-line border-y border-line">
          {own
            .toSorted((a, b) => Number(b.current) - Number(a.current))
            .map((session) => (
              <Device
                key={session.id}
                session={session}
                busy={ending.isPending && ending.variables === session.id}
                onEnd={() => ending.mutate(session.id)}
              />
            ))}
        </ul>
      )}
    </Loaded>
  );
}

function Device({ session, busy, onEnd }: { session: OwnSession; busy: boolean; onEnd: () => void }) {
  const name = deviceName(session.user_agent);
  const used = new Date(session.refreshed_at);
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 py-4">
      <div>
        <p className="font-semibold">{name}</p>
        <p className="text-sm text-fog">
          {session.current ? 'This device' : `Last used ${formatStudioDateTime(used)} Sydney time`}
        </p>
      </div>
      {session.current ? null : (
        <Button tone="plain" busy={busy} aria-label={`End session: ${name}`} onClick={onEnd}>
          End session
        </Button>
      )}
    </li>
  );
}
