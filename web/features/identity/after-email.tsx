import { Suspense, useEffect, useEffectEvent, useState } from 'react';
import { paths } from '#web/lib/paths.ts';
import { useWaited } from '#web/lib/use-waited.ts';
import { Link } from '#web/router/router.tsx';
import { Button, buttonStyle } from '#web/ui/button.tsx';
import { DialogBoundary } from '#web/ui/crash-screen.tsx';
import { lazyPart } from '#web/ui/load-part.ts';
import { Skeleton } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { useIdStatus } from './status-query.ts';

const IdDialog = lazyPart(async () => ({ default: (await import('./id-dialog.tsx')).IdDialog }));
/** Milliseconds until the ID dialog opens, for which the message is shown. */
const OPEN_MS = 2_000;
const TOAST_MS = 8_000;
const TEXTS = {
  verified: 'Your email and your ID are verified. You are ready to book.',
  review: 'Someone on our team is checking your ID. You can send a sharper photo in the meantime.',
  none: 'Before your first session we check your ID. You only do it once, and it takes a minute.',
} as const;

/** Shows what comes after a confirmed email: the ID check or the booking. `userId`: null if no user is signed in. */
export function AfterEmail({ userId }: { userId: string | null }) {
  const { data, isError } = useIdStatus(userId);
  const state = data === undefined ? null : data.verifiedUntil ? 'verified' : data.decidedBy ? 'review' : 'none';
  const loaded = state !== null || userId === null;
  const announce = useEffectEvent(() =>
    toast({
      title: 'Email Confirmed',
      description:
        state === 'none' ? 'One thing left before your first session: your ID.' : 'You can book your hours now.',
      ms: TOAST_MS,
    }),
  );
  useEffect(() => {
    if (loaded) announce();
  }, [loaded]);
  const dialog = useIdDialog(state === 'none');
  if (!loaded && !isError) return <Skeleton className="h-32" label="Loading your ID status" />;
  return (
    <>
      <p className="max-w-prose text-fog">{TEXTS[state ?? 'none']}</p>
      <div className="mt-8 flex flex-wrap gap-3">
        {state === 'verified' || userId === null ? (
          <Link className={buttonStyle.signal} to={paths.booking}>
            Continue to Booking
          </Link>
        ) : (
          <Button onClick={dialog.open}>Verify ID Now</Button>
        )}
        <Link className={buttonStyle.plain} to={paths.home}>
          Go to Home
        </Link>
      </div>
      {dialog.shown ? (
        <DialogBoundary page="id" onClose={dialog.close}>
          <Suspense>
            <IdDialog open onClose={dialog.close} onVerified={dialog.close} />
          </Suspense>
        </DialogBoundary>
      ) : null}
    </>
  );
}

/** Holds whether the ID dialog is open. It opens automatically, once, for customers who have not shown an ID yet. */
function useIdDialog(enabled: boolean) {
  const [dialog, setDialog] = useState<'not yet' | 'open' | 'closed'>('not yet');
  const opens = useWaited(enabled && dialog === 'not yet', OPEN_MS);
  if (opens) setDialog('open');
  return {
    shown: dialog === 'open',
    open: () => setDialog('open'),
    close: () => setDialog('closed'),
  };
}
