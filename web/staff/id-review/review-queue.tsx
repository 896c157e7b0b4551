import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatStudioDate, formatStudioDateTime } from '#rules/studio-time.ts';
import { constants } from '#rules/venue.ts';
import { useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeLoadError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Loaded } from '#web/ui/progress.tsx';
import { Empty, Notice } from '#web/ui/notice.tsx';
import { Cell, Row, Table } from '#web/ui/table.tsx';
import { IdPicture } from './id-picture.tsx';
import { IDS_SHOWN, readWaitingIds, type WaitingId } from './queries.ts';
import { ReviewPanel } from './review-panel.tsx';

const COLUMNS = ['Customer', 'Next session', 'Decide by', 'Why', 'Actions'];

/** Lists the IDs that await a decision, with a dialog to decide about one. */
export function ReviewQueue() {
  useLive('staff', queryKeys.waitingIds.all);
  const waiting = useQuery({
    queryKey: queryKeys.waitingIds.of(),
    queryFn: readWaitingIds,
    refetchInterval: 60_000,
  });
  const [open, setOpen] = useState<string | null>(null);
  return (
    <>
      <h2 className="text-3xl">ID review</h2>
      <p className="mt-2 mb-6 text-fog">
        Customers can’t book until you review their ID.
        {waiting.data?.length === IDS_SHOWN ? ` Showing the next ${IDS_SHOWN}.` : ''}
      </p>
      <Loaded query={waiting} what="the IDs" why={describeLoadError} skeleton="h-72">
        {(data) => <List waiting={data} onOpen={setOpen} />}
      </Loaded>
      <Dialog open={open !== null} title="Review ID" wide onClose={() => setOpen(null)}>
        {open === null ? null : (
          <Review key={open} read={waiting.data?.find(({ id }) => id === open)} onDone={() => setOpen(null)} />
        )}
      </Dialog>
    </>
  );
}

function List({ waiting, onOpen }: { waiting: readonly WaitingId[]; onOpen: (id: string) => void }) {
  if (waiting.length === 0) return <Empty>No IDs are pending review.</Empty>;
  return (
    <Table caption="IDs pending review" columns={COLUMNS}>
      {waiting.map((waitingId) => (
        <Row key={waitingId.id}>
          <Cell label="Customer" className="break-words">
            {waitingId.account_name ?? 'No name'}
            <span className="block text-sm text-fog">{waitingId.account_email}</span>
          </Cell>
          <Cell label="Next session">
            {waitingId.next_session === null ? 'None' : describeTime(waitingId.next_session)}
          </Cell>
          <Cell label="Decide by">{formatStudioDate(decideBy(waitingId), 'medium')}</Cell>
          <Cell label="Why">{waitingId.failure_reasons.join(' ')}</Cell>
          <Cell label="">
            <Button tone="plain" onClick={() => onOpen(waitingId.id)}>
              Review <span className="sr-only">the ID of {waitingId.account_name ?? waitingId.account_email}</span>
            </Button>
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

const decideBy = (waitingId: WaitingId): Date =>
  new Date(Date.parse(waitingId.created_at) + constants.idReviewDays * 86_400_000);
const describeTime = (at: string): string => formatStudioDateTime(new Date(at));

/** The picture next to the decision. `read` is missing if a colleague has decided in the meantime. */
function Review({ read, onDone }: { read: WaitingId | undefined; onDone: () => void }) {
  if (!read)
    return (
      <Notice tone="plain">
        <p>This ID is no longer pending review.</p>
      </Notice>
    );
  return (
    <div className="space-y-6">
      {read.has_picture ? (
        <IdPicture verificationId={read.id} />
      ) : (
        <Notice tone="plain">
          <p>
            {read.source === 'hosted'
              ? 'The online check provider keeps the picture.'
              : 'The picture has been deleted.'}
          </p>
        </Notice>
      )}
      <ReviewPanel read={read} onDone={onDone} />
    </div>
  );
}
