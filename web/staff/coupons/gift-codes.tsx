import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatDollars } from '#rules/money.ts';
import { formatRecordDate } from '#rules/studio-time.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeLoadError } from '#web/lib/errors.ts';
import { saveCsv } from '#web/data/fetch-client.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Loaded } from '#web/ui/progress.tsx';
import { Empty } from '#web/ui/notice.tsx';
import { Cell, Row, Table } from '#web/ui/table.tsx';
import { toast } from '#web/ui/toast.tsx';
import { isDiscountType } from '#rules/coupon-discount.ts';
import { GiftForm } from './gift-form.tsx';
import { type GiftBatch, readGiftBatches, readGiftCodes, setGiftBatchActive, worth } from './queries.ts';

const COLUMNS = ['Batch', 'Value', 'Used', 'Sales', 'Expires', 'Actions'];

/** Lists the batches of gift codes, with files to download. */
export function GiftCodes({ mayGive }: { mayGive: boolean }) {
  const [making, setMaking] = useState(false);
  return (
    <section className="mt-12">
      <div className="mb-6 flex flex-wrap items-end justify-between gap-4">
        <div>
          <h2 className="text-3xl">Gift codes</h2>
          <p className="mt-2 text-fog">Single-use codes that you create in batches and download as a file.</p>
        </div>
        <Button tone="plain" onClick={() => setMaking(true)}>
          Create gift codes
        </Button>
      </div>
      <BatchList />
      <Dialog open={making} title="Create gift codes" onClose={() => setMaking(false)}>
        {making ? <GiftForm mayGive={mayGive} onDone={() => setMaking(false)} /> : null}
      </Dialog>
    </section>
  );
}

function BatchList() {
  const batches = useQuery({ queryKey: queryKeys.giftBatches.of(), queryFn: readGiftBatches });
  const now = useNow(60_000);
  return (
    <Loaded query={batches} what="the gift codes" why={describeLoadError} skeleton="h-32">
      {(data) =>
        data.length === 0 ? (
          <Empty>No gift codes yet.</Empty>
        ) : (
          <Table caption="Gift codes" columns={COLUMNS}>
            {data.map((batch) => (
              <Row key={batch.id}>
                <Cell label="Batch">
                  <span className="font-bold break-all">{batch.prefix}</span>
                  <span className="block text-sm text-fog">{formatRecordDate(new Date(batch.created_at))}</span>
                  {batch.description === null ? null : (
                    <span className="block text-sm break-words text-fog">{batch.description}</span>
                  )}
                </Cell>
                <Cell label="Value">
                  {isDiscountType(batch.discount_type) ? worth({ ...batch, discount_type: batch.discount_type }) : ''}
                </Cell>
                <Cell label="Used">
                  {batch.used} of {batch.codes}
                </Cell>
                <Cell label="Sales">
                  {formatDollars(batch.sold)} in sales, {formatDollars(batch.discount)} off
                </Cell>
                <Cell label="Expires">{expiry(batch, now)}</Cell>
                <Cell label="">
                  <Actions batch={batch} />
                </Cell>
              </Row>
            ))}
          </Table>
        )
      }
    </Loaded>
  );
}

function expiry({ expires_at: at }: GiftBatch, now: Date): string {
  if (at === null) return 'Never';
  return `${formatRecordDate(new Date(at))}${new Date(at) <= now ? ', expired' : ''}`;
}

function Actions({ batch }: { batch: GiftBatch }) {
  const name = `${batch.prefix}, ${formatRecordDate(new Date(batch.created_at))}`;
  const download = useMutation({
    mutationFn: () => readGiftCodes(batch.id),
    meta: { title: 'Error', failure: 'The file could not be loaded. Check your connection.' },
    onSuccess: (csv) => saveCsv(csv, `gift-codes-${batch.prefix}.csv`),
  });
  const turnsOff = batch.active > 0;
  const turn = useMutation({
    mutationFn: () => setGiftBatchActive(batch.id, !turnsOff),
    meta: {
      title: 'Error',
      failure: 'The codes were not changed. Try again.',
      invalidates: [queryKeys.giftBatches.all],
    },
    onSuccess: () =>
      toast({ title: turnsOff ? 'Gift codes deactivated' : 'Gift codes activated', description: batch.prefix }),
  });
  return (
    <div className="flex flex-wrap gap-2">
      <Button tone="plain" busy={download.isPending} onClick={() => download.mutate()}>
        Download <span className="sr-only">{name}</span>
      </Button>
      {batch.used === batch.codes ? null : (
        <Button tone="plain" busy={turn.isPending} onClick={() => turn.mutate()}>
          {turnsOff ? 'Deactivate' : 'Activate'} <span className="sr-only">{name}</span>
        </Button>
      )}
    </div>
  );
}
