import { useQuery } from '@tanstack/react-query';
import { useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { LoadFailed } from '#web/ui/notice.tsx';
import { DoorEntries } from './door-entries.tsx';
import { readDoorLog } from './log-queries.ts';

/** What the lock reported about the codes and the hours of a booking. Shows nothing until there is an entry. */
export function BookingDoorLog({ bookingId }: { bookingId: string }) {
  useLive('staff', queryKeys.doorLog.all);
  const log = useQuery({
    queryKey: queryKeys.doorLog.of(null, bookingId),
    queryFn: () => readDoorLog({ bookingId }),
    refetchInterval: 60_000,
  });
  if (log.isError && !log.data)
    return (
      <LoadFailed
        title="The door log could not be loaded."
        why={describeError(log.error, 'Check your connection.')}
        onRetry={() => void log.refetch()}
      />
    );
  if (!log.data || log.data.length === 0) return null;
  return (
    <details>
      <summary className="min-h-11 cursor-pointer py-2 font-semibold">Door log ({log.data.length})</summary>
      <DoorEntries entries={log.data} none="" />
    </details>
  );
}
