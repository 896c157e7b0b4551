import { useMutation, useQuery } from '@tanstack/react-query';
import { formatStudioDate, formatStudioTime } from '#rules/studio-time.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeLoadError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Chip } from '#web/ui/chip.tsx';
import { Loaded } from '#web/ui/progress.tsx';
import { Empty } from '#web/ui/notice.tsx';
import { Cell, Row, Table } from '#web/ui/table.tsx';
import { toast } from '#web/ui/toast.tsx';
import { type Campaign, isRunning, readCampaigns, stopCampaign } from './queries.ts';

const COLUMNS = ['Email', 'Sent', 'Bounced', 'Skipped', 'Status', 'Actions'];
/** Polling interval for the progress of a running campaign. */
const PROGRESS_MS = 2_000;

/** Lists the mails to the mailing list with their counts, and follows the progress of a running one. */
export function Campaigns() {
  const campaigns = useQuery({
    queryKey: queryKeys.campaigns.of(),
    queryFn: readCampaigns,
    refetchInterval: ({ state }) => (state.data?.some(isRunning) ? PROGRESS_MS : false),
  });
  return (
    <Loaded query={campaigns} what="the emails" why={describeLoadError} skeleton="h-48">
      {(data) =>
        data.length === 0 ? (
          <Empty>No email has been sent to the list yet.</Empty>
        ) : (
          <Table caption="Emails to the list" columns={COLUMNS}>
            {data.map((campaign) => (
              <Row key={campaign.id}>
                <Cell label="Email">
                  <span className="font-bold break-words">{campaign.subject}</span>
                  <span className="block text-sm text-fog">
                    {formatStudioDate(new Date(campaign.created_at), 'medium')},{' '}
                    {formatStudioTime(new Date(campaign.created_at))} (Sydney time)
                    {campaign.made_by === null ? '' : `, by ${campaign.made_by}`}
                  </span>
                </Cell>
                <Cell label="Sent">
                  <Sent campaign={campaign} />
                </Cell>
                <Cell label="Bounced">{campaign.bounced}</Cell>
                <Cell label="Skipped">{campaign.skipped}</Cell>
                <Cell label="Status">
                  <Status campaign={campaign} />
                </Cell>
                <Cell label="">{isRunning(campaign) ? <StopButton campaign={campaign} /> : null}</Cell>
              </Row>
            ))}
          </Table>
        )
      }
    </Loaded>
  );
}

function Sent({ campaign }: { campaign: Campaign }) {
  const { sent, bounced, skipped, recipients } = campaign;
  return (
    <>
      <span className="tabular-nums">
        {sent} of {recipients}
      </span>
      {isRunning(campaign) ? (
        <progress
          className="mt-1 block h-2 w-full max-w-40 accent-signal"
          aria-label={`Progress of ${campaign.subject}`}
          value={sent + bounced + skipped}
          max={recipients}
        />
      ) : null}
    </>
  );
}

function Status({ campaign }: { campaign: Campaign }) {
  if (campaign.stopped_at !== null) return <Chip tone="warn">Stopped</Chip>;
  if (campaign.finished_at !== null) return <Chip tone="good">Finished</Chip>;
  return <Chip tone="signal">Sending, {campaign.per_minute} a minute</Chip>;
}

function StopButton({ campaign }: { campaign: Campaign }) {
  const stop = useMutation({
    mutationFn: () => stopCampaign(campaign.id),
    meta: {
      title: 'Error',
      failure: 'The email is still being sent. Try again.',
      invalidates: [queryKeys.campaigns.all],
    },
    onSuccess: () => toast({ title: 'Email stopped', description: campaign.subject }),
  });
  return (
    <Button tone="plain" busy={stop.isPending} onClick={() => stop.mutate()}>
      Stop <span className="sr-only">{campaign.subject}</span>
    </Button>
  );
}
