import { useState } from 'react';
import { useNavigate } from 'react-router';
import { formatStudioDate, type StudioDate } from '#rules/studio-time.ts';
import { drafts } from '#web/lib/drafts.ts';
import { describeError } from '#web/lib/errors.ts';
import { leaveTo } from '#web/lib/leave.ts';
import { paths } from '#web/lib/paths.ts';
import { useBackAgain } from '#web/lib/use-back-again.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { createHostedCheck } from './queries.ts';

/** Shows why the check failed, with another photo or the hosted check as next steps. Offers neither when the result is final. */
export function FailedStep({
  reasons,
  decidedBy,
  onRetry,
}: {
  reasons: readonly string[];
  /** Date by which staff decide; null when no review is needed. */
  decidedBy: StudioDate | null;
  /** Null when no other photo or check can change the result. */
  onRetry: (() => void) | null;
}) {
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  useBackAgain(() => setBusy(false));

  /** Starts a hosted check, stores its ids, and leads there by way of /verify-complete when a booking is waiting. */
  async function openHosted(): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      const draft = drafts.booking();
      const session = await createHostedCheck(draft);
      drafts.keepVerification({ id: session.verificationSessionId, url: session.verificationUrl });
      if (draft === null) leaveTo(session.verificationUrl);
      else void navigate(paths.verifyComplete, { state: { goOn: true } });
    } catch (error) {
      setBusy(false);
      const message = describeError(error, 'Failed to start verification. Please try again.');
      setProblem(message);
      toast({ title: message, tone: 'bad' });
    }
  }

  return (
    <div className="space-y-4">
      <Notice tone={decidedBy ? 'warn' : 'bad'}>
        <ul className="space-y-1">
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
        {decidedBy ? (
          <p className="mt-3 text-sm">
            Someone on our team will look at your photo by {formatStudioDate(decidedBy)}, and then we’ll delete it. You
            don’t have to wait: try again with a sharper photo, or use the online check now.
          </p>
        ) : null}
      </Notice>
      {onRetry === null ? null : (
        <>
          <div className="flex flex-wrap gap-3">
            <Button onClick={onRetry}>Try Again</Button>
            <Button tone="plain" busy={busy} onClick={() => void openHosted()}>
              Use the online check
            </Button>
          </div>
          {problem ? (
            <Notice tone="bad">
              <p>{problem}</p>
            </Notice>
          ) : null}
          <p className="text-sm text-fog">
            The online check looks at your licence and your face on our identity service’s page. It takes about two
            minutes.
          </p>
        </>
      )}
    </div>
  );
}
