import { useQuery } from '@tanstack/react-query';
import { useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeLoadError } from '#web/lib/errors.ts';
import { Loaded } from '#web/ui/progress.tsx';
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
  return (
    <Loaded query={log} what="the door log" why={describeLoadError}>
      {(data) =>
        data.length === 0 ? null : (
          <details>
            <summary className="min-h-11 cursor-pointer py-2 font-semibold">Door log ({data.length})</summary>
            <DoorEntries entries={data} none="" />
          </details>
        )
      }
    </Loaded>
  );
}
