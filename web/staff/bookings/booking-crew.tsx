import { useQuery } from '@tanstack/react-query';
import { formatStudioDateTime } from '#rules/studio-time.ts';
import { readCrew } from '#web/data/bookings/crew.ts';
import { useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { Chip } from '#web/ui/chip.tsx';
import { LoadFailed } from '#web/ui/notice.tsx';

const STATES = {
  invited: { tone: 'plain', words: 'Invited' },
  joined: { tone: 'good', words: 'Joined' },
  revoked: { tone: 'bad', words: 'Taken back' },
} as const;

/** Lists the guests of a booking. Shows nothing until someone is invited. */
export function BookingCrew({ bookingId }: { bookingId: string }) {
  useLive('staff', queryKeys.crew.all);
  const crew = useQuery({
    queryKey: queryKeys.crew.of([bookingId]),
    queryFn: () => readCrew([bookingId]),
    refetchInterval: 60_000,
  });
  if (crew.isError && !crew.data)
    return (
      <LoadFailed
        title="The crew could not be loaded."
        why={describeError(crew.error, 'Check your connection.')}
        onRetry={() => void crew.refetch()}
      />
    );
  if (!crew.data || crew.data.length === 0) return null;
  return (
    <section aria-label="Crew" className="space-y-3">
      <h3 className="text-xl">Crew</h3>
      <ul className="space-y-1">
        {crew.data.map(({ id, name, state, invitedAt }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <strong className="min-w-0 break-words">{name ?? 'No name yet'}</strong>
            <Chip tone={STATES[state].tone}>{STATES[state].words}</Chip>
            <span className="text-sm text-fog">invited {formatStudioDateTime(invitedAt)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
