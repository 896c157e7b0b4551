import { useQuery } from '@tanstack/react-query';
import { formatStudioDateTime } from '#rules/studio-time.ts';
import { readCrew } from '#web/data/bookings/crew.ts';
import { useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeLoadError } from '#web/lib/errors.ts';
import { Chip } from '#web/ui/chip.tsx';
import { Loaded } from '#web/ui/progress.tsx';

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
  return (
    <Loaded query={crew} what="the crew" why={describeLoadError}>
      {(data) =>
        data.length === 0 ? null : (
          <section aria-label="Crew" className="space-y-3">
            <h3 className="text-xl">Crew</h3>
            <ul className="space-y-1">
              {data.map(({ id, name, state, invitedAt }) => (
                <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1">
                  <strong className="min-w-0 break-words">{name ?? 'No name yet'}</strong>
                  <Chip tone={STATES[state].tone}>{STATES[state].words}</Chip>
                  <span className="text-sm text-fog">invited {formatStudioDateTime(invitedAt)}</span>
                </li>
              ))}
            </ul>
          </section>
        )
      }
    </Loaded>
  );
}
