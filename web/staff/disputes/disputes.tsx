import { useMutation, useQuery } from '@tanstack/react-query';
import { formatMoney } from '#rules/money.ts';
import { formatStudioDateTime } from '#rules/studio-time.ts';
import { saveFile } from '#web/data/fetch-client.ts';
import { useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeLoadError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Chip } from '#web/ui/chip.tsx';
import { Loaded } from '#web/ui/progress.tsx';
import { toast } from '#web/ui/toast.tsx';
import { type Dispute, readDisputes, readEvidence } from './queries.ts';

/** The disputes of a booking with their evidence. Shows nothing if there are none. */
export function Disputes({ bookingId, reference }: { bookingId: string; reference: string }) {
  useLive('staff', queryKeys.disputes.all);
  const disputes = useQuery({
    queryKey: queryKeys.disputes.of(bookingId),
    queryFn: () => readDisputes(bookingId),
    refetchInterval: 60_000,
  });
  return (
    <Loaded query={disputes} what="the disputes" why={describeLoadError}>
      {(data) =>
        data.length === 0 ? null : (
          <section aria-labelledby="disputes">
            <h3 id="disputes" className="text-2xl">
              Disputes
            </h3>
            <ul className="mt-3 mb-4 space-y-3">
              {data.map((dispute) => (
                <DisputeItem key={dispute.id} dispute={dispute} />
              ))}
            </ul>
            <EvidenceButton bookingId={bookingId} reference={reference} />
            <p className="mt-2 text-sm text-fog">
              Print this page as a PDF and submit it to the payment provider. It contains no ID photos or codes. It
              includes ID check results only if you have the “ID checks” permission.
            </p>
          </section>
        )
      }
    </Loaded>
  );
}

function DisputeItem({ dispute }: { dispute: Dispute }) {
  const { amountCents, reason, dueAt, openedAt, needsResponse } = dispute;
  const state = describeState(dispute);
  return (
    <li>
      <p className="flex flex-wrap items-center gap-3">
        <span>{formatMoney(amountCents)}</span> <Chip tone={state.tone}>{state.words}</Chip>
      </p>
      <p className="mt-1 text-sm text-fog">
        Opened {formatStudioDateTime(openedAt)}.{reason === null ? '' : ` Reason: ${words(reason)}.`}
        {needsResponse && dueAt !== null ? ` Respond by ${formatStudioDateTime(dueAt)}.` : ''}
      </p>
    </li>
  );
}

const words = (text: string): string => text.replaceAll('_', ' ');

function describeState({ status, needsResponse }: Dispute): { tone: 'good' | 'warn' | 'bad'; words: string } {
  if (status === 'won') return { tone: 'good', words: 'Won: we keep the money' };
  if (status === 'lost') return { tone: 'bad', words: 'Lost: the money was returned' };
  return needsResponse
    ? { tone: 'bad', words: 'Response needed' }
    : { tone: 'warn', words: 'Under review by the bank' };
}

function EvidenceButton({ bookingId, reference }: { bookingId: string; reference: string }) {
  const download = useMutation({
    mutationFn: () => readEvidence(bookingId),
    meta: { title: 'Error', failure: 'The file could not be created. Try again.' },
    onSuccess: (html) => {
      const name = `dispute-evidence-${reference}.html`;
      saveFile(html, name, 'text/html');
      toast({ title: 'File downloaded', description: name });
    },
  });
  return (
    <Button tone="plain" busy={download.isPending} onClick={() => download.mutate()}>
      Download evidence
    </Button>
  );
}
