import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { describeDoorEvent, sinceStart } from '#rules/doors.ts';
import { formatStudioDate, formatStudioTime } from '#rules/studio-time.ts';
import { useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { SelectField } from '#web/ui/choice.tsx';
import { LoadFailed, Skeleton } from '#web/ui/notice.tsx';
import { type DoorLogEntry, ENTRIES_READ, readDoorLog } from './log-queries.ts';

/** What the locks reported, newest first, beside the bookings: of one room or all. */
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
      {log.isError && !entries ? (
        <LoadFailed
          title="The door log could not be loaded."
          why={describeError(log.error, 'Check your connection.')}
          onRetry={() => void log.refetch()}
        />
      ) : null}
      {entries === undefined && !log.isError ? <Skeleton className="h-40" label="Loading the door log" /> : null}
      {entries === undefined ? null : <DoorEntries entries={entries} />}
      {log.hasNextPage ? (
        <Button tone="plain" busy={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
          Show older entries
        </Button>
      ) : null}
    </div>
  );
}

function DoorEntries({ entries }: { entries: readonly DoorLogEntry[] }) {
  if (entries.length === 0) return <p className="text-fog">No lock has reported anything in the last month.</p>;
  return (
    <ol className="divide-y divide-line border-y border-line">
      {entries.map((entry, at) => (
        // Entries have no name of their own, and are only added at the top.
        // oxlint-disable-next-line react/no-array-index-key
        <li key={`${entry.at.getTime()} ${at}`} className="py-3 text-sm">
          <p>
            <span className={ALARMING.has(entry.kind) ? 'font-semibold text-bad' : 'font-semibold'}>
              {describeDoorEvent(entry.kind)}
            </span>
            , {entry.studioName}
          </p>
          <p className="mt-1 text-fog">{describeEntry(entry)}</p>
        </li>
      ))}
    </ol>
  );
}

const ALARMING: ReadonlySet<string> = new Set(['wrong_code', 'break_in']);

/** "Wed 12 Mar 2031, 8:06 pm: ABCD-2345, Alex Citizen, 6 min after the start" */
function describeEntry({ at, reference, byCode, startTime, customerName, actor }: DoorLogEntry): string {
  const about = [
    actor,
    reference === null ? null : `${byCode ? '' : 'during '}${reference}`,
    customerName,
    startTime === null ? null : sinceStart(at, startTime),
  ].filter((part) => part !== null);
  const when = `${formatStudioDate(at, 'medium')}, ${formatStudioTime(at)}`;
  return about.length === 0 ? when : `${when}: ${about.join(', ')}`;
}
