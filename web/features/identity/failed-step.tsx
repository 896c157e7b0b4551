import { useMutation } from '@tanstack/react-query';
import { formatStudioDate, type StudioDate } from '#rules/studio-time.ts';
import { drafts } from '#web/lib/drafts.ts';
import { describeError, errorCode } from '#web/lib/errors.ts';
import { leaveTo } from '#web/lib/leave.ts';
import { paths } from '#web/lib/paths.ts';
import { useBackAgain } from '#web/lib/use-back-again.ts';
import { useNavigate } from '#web/router/router.tsx';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { createHostedCheck } from './queries.ts';

const NOT_STARTED = 'Failed to start verification. Please try again.';

/** Shows why the check failed, with another photo or the hosted check as next steps. Offers neither when the result is final. */
export function FailedStep({
  reasons,
  decidedBy,
  hostedCheck,
  onRetry,
}: {
  reasons: readonly string[];
  /** Date by which staff decide; null when no review is needed. */
  decidedBy: StudioDate | null;
  /** Whether to offer the hosted check. */
  hostedCheck: boolean;
  /** Null when no other photo or check can change the result. */
  onRetry: (() => void) | null;
}) {
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
            don’t have to wait: try again with a sharper photo{hostedCheck ? ', or use the online check now' : ''}.
          </p>
        ) : null}
      </Notice>
      {onRetry === null ? null : <NextTry hostedCheck={hostedCheck} onRetry={onRetry} />}
    </div>
  );
}

function NextTry({ hostedCheck, onRetry }: { hostedCheck: boolean; onRetry: () => void }) {
  const hosted = useHostedCheck();
  const isOffered = hostedCheck && errorCode(hosted.error) !== 'not_configured';
  return (
    <>
      <div className="flex flex-wrap gap-3">
        <Button onClick={onRetry}>Try Again</Button>
        {isOffered ? (
          <Button tone="plain" busy={hosted.isPending || hosted.isSuccess} onClick={() => hosted.mutate()}>
            Use the online check
          </Button>
        ) : null}
      </div>
      {hosted.isError ? (
        <Notice tone="bad">
          <p>{describeError(hosted.error, NOT_STARTED)}</p>
        </Notice>
      ) : null}
      {isOffered ? (
        <p className="text-sm text-fog">
          The online check looks at your licence and your face on our identity service’s page. It takes about two
          minutes.
        </p>
      ) : null}
    </>
  );
}

/** Starts a hosted check, stores its ids, and leads there by way of /verify-complete when a booking is waiting. */
function useHostedCheck() {
  const navigate = useNavigate();
  const hosted = useMutation({
    mutationFn: async () => {
      const draft = drafts.booking();
      const session = await createHostedCheck(draft);
      drafts.saveVerification({ id: session.verificationSessionId, url: session.verificationUrl });
      if (draft === null) leaveTo(session.verificationUrl);
      else navigate(paths.verifyComplete, { state: { autoContinue: true } });
    },
    meta: { handled: true },
    onError: (error) => toast({ title: describeError(error, NOT_STARTED), tone: 'bad' }),
  });
  useBackAgain(hosted.reset);
  return hosted;
}
