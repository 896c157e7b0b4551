import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatStudioRange } from '#rules/studio-time.ts';
import { useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeLoadError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Chip } from '#web/ui/chip.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Loaded } from '#web/ui/progress.tsx';
import { Empty } from '#web/ui/notice.tsx';
import { Cell, Row, Table } from '#web/ui/table.tsx';
import { ClosureForm } from './close-form.tsx';
import { type Closure, readClosures, type StudioName } from './queries.ts';
import { ReopenForm } from './reopen-form.tsx';

const COLUMNS = ['When', 'Room', 'Reason', 'Actions'];

/** Lists the closed hours for staff, who can close and reopen hours. */
export function Closures({ studios }: { studios: readonly StudioName[] }) {
  useLive('staff', queryKeys.closures.all);
  const closures = useQuery({
    queryKey: queryKeys.closures.of(),
    queryFn: readClosures,
    refetchInterval: 60_000,
  });
  const nameStudios = ({ studioIds }: Closure): string =>
    studios.flatMap(({ id, name }) => (studioIds.includes(id) ? [name] : [])).join(', ');
  const [closing, setClosing] = useState(false);
  const [reopening, setReopening] = useState<Closure | null>(null);
  return (
    <>
      <div className="mb-6 flex flex-wrap items-end justify-between gap-4">
        <div>
          <h2 className="text-3xl">Closed hours</h2>
          <p className="mt-2 text-fog">These hours can’t be booked. Times are in Sydney time.</p>
        </div>
        <Button onClick={() => setClosing(true)}>Close hours</Button>
      </div>
      <Loaded query={closures} what="the closed hours" why={describeLoadError} skeleton="h-72">
        {(data) => <List closures={data} nameStudios={nameStudios} onReopen={setReopening} />}
      </Loaded>
      <Dialog open={closing} title="Close hours" onClose={() => setClosing(false)}>
        {closing ? <ClosureForm studios={studios} onDone={() => setClosing(false)} /> : null}
      </Dialog>
      <Dialog open={reopening !== null} title="Reopen these hours?" onClose={() => setReopening(null)}>
        {reopening === null ? null : (
          <ReopenForm
            week={{ closureId: reopening.id, start: reopening.start, end: reopening.end }}
            more={reopening.times - 1}
            where={nameStudios(reopening)}
            onDone={() => setReopening(null)}
          />
        )}
      </Dialog>
    </>
  );
}

function List({
  closures,
  nameStudios,
  onReopen,
}: {
  closures: readonly Closure[];
  nameStudios: (closure: Closure) => string;
  onReopen: (closure: Closure) => void;
}) {
  if (closures.length === 0)
    return <Empty>No upcoming closed hours. Set a room’s opening hours on the Rooms tab.</Empty>;
  return (
    <Table caption="Closed hours" columns={COLUMNS}>
      {closures.map((closure) => (
        <Row key={closure.id}>
          <Cell label="When">{describeTimes(closure)}</Cell>
          <Cell label="Room">{nameStudios(closure)}</Cell>
          <Cell label="Reason" className="break-words">
            {closure.reason} {closure.isPublic ? <Chip>Public</Chip> : null}
          </Cell>
          <Cell label="">
            <Button tone="plain" onClick={() => onReopen(closure)}>
              Reopen <span className="sr-only">{describeTimes(closure)}</span>
            </Button>
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

function describeTimes({ start, end, times, endless }: Closure): string {
  const range = formatStudioRange(start, end);
  if (endless) return `${range}, then every week`;
  return times === 1 ? range : `${range}, and ${times - 1} more ${times === 2 ? 'week' : 'weeks'}`;
}
