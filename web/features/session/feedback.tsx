import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { describeReportState, reportWindow, type ReportKind } from '#rules/business/feedback.ts';
import { formatStudioDateTime } from '#rules/studio-time.ts';
import { pollWhile, useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Button } from '#web/ui/button.tsx';
import { Chip } from '#web/ui/chip.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Loaded } from '#web/ui/progress.tsx';
import { type OwnReport, readFeedback, type FeedbackState } from './feedback-queries.ts';
import { Rating } from './rating.tsx';
import { ReportForm } from './report-form.tsx';

const POLL_MS = 60_000;
const KINDS: readonly { kind: ReportKind; label: string; title: string }[] = [
  { kind: 'problem', label: 'Report a problem', title: 'Report a problem' },
  { kind: 'lost', label: 'Left something behind?', title: 'What did you leave behind?' },
];

/** The customer's feedback on a session, from shortly before it: problems, lost property, and a rating afterwards. */
export function FeedbackParts({ booking, userId }: { booking: FeedbackState; userId: string }) {
  const now = useNow(30_000);
  const live = useLive(`user:${userId}`, queryKeys.ownFeedback.all);
  const session = { start: booking.startTime, end: booking.endTime };
  const begun = now >= reportWindow(session, 'problem').start;
  const feedback = useQuery({
    queryKey: queryKeys.ownFeedback.of(booking.id),
    queryFn: () => readFeedback(booking.id),
    enabled: begun,
    refetchInterval: pollWhile(live, POLL_MS),
  });
  const [telling, setTelling] = useState<ReportKind | null>(null);
  const close = (): void => setTelling(null);
  if (!begun) return null;
  const open = KINDS.filter(({ kind }) => now < reportWindow(session, kind).end);
  return (
    <Loaded query={feedback} what="your reports">
      {({ reports, rating }) => (
        <>
          <Rating booking={booking} rating={rating} now={now} />
          {open.length === 0 && reports.length === 0 ? null : (
            <section id="something-wrong" aria-labelledby="reports" className="scroll-mt-6">
              <h2 id="reports" className="text-2xl">
                Something wrong?
              </h2>
              <div className="mt-4 flex flex-wrap gap-3">
                {open.map(({ kind, label }) => (
                  <Button key={kind} tone="plain" className="max-sm:w-full" onClick={() => setTelling(kind)}>
                    {label}
                  </Button>
                ))}
              </div>
              <Reports reports={reports} />
            </section>
          )}
          <Dialog
            open={telling !== null}
            title={KINDS.find(({ kind }) => kind === telling)?.title ?? ''}
            onClose={close}
          >
            {telling === null ? null : (
              <ReportForm key={telling} bookingId={booking.id} kind={telling} userId={userId} onDone={close} />
            )}
          </Dialog>
        </>
      )}
    </Loaded>
  );
}

function Reports({ reports }: { reports: readonly OwnReport[] }) {
  if (reports.length === 0) return null;
  return (
    <ul className="mt-5 space-y-3" aria-label="Your reports">
      {reports.map((report) => (
        <li key={report.id} className="border-l-4 border-edge bg-booth p-4">
          <p className="flex flex-wrap items-center gap-3">
            <strong className="min-w-0 break-words">{report.description}</strong>
            <Chip tone={report.state === 'done' ? 'good' : 'warn'}>{describeReportState(report)}</Chip>
          </p>
          {report.answer === null ? null : <p className="mt-2 break-words whitespace-pre-line">{report.answer}</p>}
          <p className="mt-1 text-sm text-dust">
            {formatStudioDateTime(report.createdAt)}, Sydney time
            {report.photos === 0 ? '' : `, ${report.photos} ${report.photos === 1 ? 'photo' : 'photos'}`}
          </p>
        </li>
      ))}
    </ul>
  );
}
