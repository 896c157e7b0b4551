import { useMutation } from '@tanstack/react-query';
import { formatStudioDate, studioDate, type StudioDate } from '#rules/studio-time.ts';
import { saveName } from '#web/data/profile.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { useSession } from '#web/data/session.tsx';
import { drafts } from '#web/lib/drafts.ts';
import { isRefused } from '#web/lib/errors.ts';
import { Failure } from '#web/lib/business/failure.tsx';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { idQueries } from './queries.ts';
import { NOT_STARTED, useHostedCheck } from './use-hosted-check.tsx';

/** Shows why the check failed, and offers another photo or the hosted check. Offers neither if the result is final. */
export function FailedStep({
  reasons,
  decidedBy,
  hostedCheck,
  nameOnId,
  onCorrected,
  onRetry,
}: {
  reasons: readonly string[];
  /** The date by which staff decide; null if no review is needed. */
  decidedBy: StudioDate | null;
  /** Whether to offer the hosted check. */
  hostedCheck: boolean;
  /** The name on the ID, if it is the only difference from the account; null otherwise. */
  nameOnId: string | null;
  /** Called when the account has that name, so that the photo is checked again. */
  onCorrected: () => void;
  /** Null if no other photo or check can change the result. */
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
            Someone on our team will look at your photo by {formatStudioDate(decidedBy)}
            {beforeSession(decidedBy)}, and then we’ll delete it. You don’t have to wait:{' '}
            {nameOnId === null ? 'try again with a sharper photo' : 'correct the name of your account'}
            {hostedCheck ? ', or use the online check now' : ''}.
          </p>
        ) : null}
      </Notice>
      {nameOnId === null ? null : <CorrectName name={nameOnId} onCorrected={onCorrected} />}
      {onRetry === null ? null : <NextTry hostedCheck={hostedCheck} onRetry={onRetry} />}
    </div>
  );
}

/** Returns ", before your session", or that the decision may come too late for it; '' if no booking is waiting. */
function beforeSession(decidedBy: StudioDate): string {
  const start = drafts.booking()?.start_time;
  if (start === undefined) return '';
  return decidedBy < studioDate(new Date(start))
    ? ', before your session'
    : ', which may be too late for the hours you chose';
}

/** Shows the name that was read, and offers to use it for the account. */
function CorrectName({ name, onCorrected }: { name: string; onCorrected: () => void }) {
  const { user } = useSession();
  const correct = useMutation({
    mutationFn: () => saveName(user?.id ?? '', name),
    meta: { handled: true, invalidates: [queryKeys.profile.all, ...idQueries] },
    onSuccess: onCorrected,
  });
  return (
    <div className="space-y-3 border-l-4 border-signal bg-deck p-4">
      <p>
        On your ID we read <strong>{name}</strong>. If that’s you, we can correct the name of your account and check
        your photo again.
      </p>
      <Button busy={correct.isPending} onClick={() => correct.mutate()}>
        My name is {name}
      </Button>
      <Failure action={correct} text="Your name could not be changed. Please try again." className="text-sm text-bad" />
    </div>
  );
}

function NextTry({ hostedCheck, onRetry }: { hostedCheck: boolean; onRetry: () => void }) {
  const hosted = useHostedCheck();
  const isOffered = hostedCheck && !isRefused<'create-verification-session'>(hosted.error, 'not_configured');
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
      <Failure action={hosted} text={NOT_STARTED} />
      {isOffered ? (
        <p className="text-sm text-fog">
          The online check looks at your licence and your face on our identity service’s page. It takes about two
          minutes.
        </p>
      ) : null}
    </>
  );
}
