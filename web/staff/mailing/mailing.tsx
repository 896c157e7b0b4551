import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { saveCsv } from '#web/data/fetch-client.ts';
import { useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Addresses } from './addresses.tsx';
import { CampaignForm } from './campaign-form.tsx';
import { Campaigns } from './campaigns.tsx';
import { readMailingCounts, readMailingList } from './queries.ts';

/** The mailing list for staff: write to it, follow the sending, and find addresses. */
export function Mailing() {
  useLive('staff', queryKeys.campaigns.all);
  // Addresses that bounce are marked while an email is being sent.
  useLive('staff', queryKeys.mailingCounts.all);
  useLive('staff', queryKeys.mailingList.all);
  const [writing, setWriting] = useState(false);
  const counts = useQuery({ queryKey: queryKeys.mailingCounts.of(), queryFn: readMailingCounts });
  const download = useMutation({
    mutationFn: readMailingList,
    meta: { title: 'Error', failure: 'The file could not be loaded. Check your connection.' },
    onSuccess: (csv) => saveCsv(csv, 'mailing-list.csv'),
  });
  const subscribed = counts.data?.subscribed ?? null;
  return (
    <>
      <div className="mb-6 flex flex-wrap items-end justify-between gap-4">
        <div>
          <h2 className="text-3xl">Mailing list</h2>
          <p className="mt-2 text-fog tabular-nums">
            {counts.data
              ? `${counts.data.subscribed} subscribed, ${counts.data.gone} unsubscribed, ${counts.data.bounced} bounced`
              : counts.isError
                ? 'The counts could not be loaded.'
                : 'Loading the counts'}
          </p>
        </div>
        <div className="flex flex-wrap gap-3">
          <Button tone="plain" busy={download.isPending} onClick={() => download.mutate()}>
            Download list
          </Button>
          <Button onClick={() => setWriting(true)}>Write email</Button>
        </div>
      </div>
      <Campaigns />
      <Addresses />
      <Dialog open={writing} title="Email to the mailing list" onClose={() => setWriting(false)}>
        {writing ? <CampaignForm recipients={subscribed} onDone={() => setWriting(false)} /> : null}
      </Dialog>
    </>
  );
}
