import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeLoadError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { SelectField } from '#web/ui/choice.tsx';
import { Loaded } from '#web/ui/progress.tsx';
import { DoorEntries } from './door-entries.tsx';
import { ENTRIES_READ, readDoorLog } from './log-queries.ts';

/** What the locks of one room or of all rooms reported, newest first, with the bookings. */
export function DoorLog({ doors }: { doors: readonly { studioId: string; studioName: string }[] }) {
  const [studioId, setStudioId] = useState('');
  useLive('staff', queryKeys.doorLog.all);
  const log = useInfiniteQuery({
    queryKey: queryKeys.doorLog.of(studioId, null),
    queryFn: ({ pageParam }) =>
      readDoorLog({
        ...(studioId === '' ? {} : { studioId }),
        ...(pageParam === null ? {} : { before: pageParam }),
      }),
    initialPageParam: null as Date | null,
    getNextPageParam: (last) => (last.length < ENTRIES_READ ? undefined : last.at(-1)?.at),
    refetchInterval: 60_000,
  });
  const entries = log.data?.pages.flat();
  return (
    <div className="mt-3 space-y-4">
      <SelectField
        label="Room"
        value={studioId}
        options={[
          { value: '', label: 'All rooms' },
          ...doors.map((door) => ({ value: door.studioId, label: door.studioName })),
        ]}
        onChange={(event) => setStudioId(event.target.value)}
      />
      <Loaded query={{ ...log, data: entries }} what="the door log" why={describeLoadError} skeleton="h-40">
        {(loaded) => <DoorEntries entries={loaded} none="No lock activity in the last month." />}
      </Loaded>
      {log.hasNextPage ? (
        <Button tone="plain" busy={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
          Show older entries
        </Button>
      ) : null}
    </div>
  );
}
