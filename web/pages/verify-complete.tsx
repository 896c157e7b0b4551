import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { Link, useLocation, useNavigate } from 'react-router';
import { readServerDraft } from '#web/features/checkout/queries.ts';
import { beginHostedCheck } from '#web/features/identity/queries.ts';
import { ReturnToBooking } from '#web/features/identity/return-to-booking.tsx';
import { drafts } from '#web/lib/drafts.ts';
import { describeError, errorCode } from '#web/lib/errors.ts';
import { leaveTo } from '#web/lib/leave.ts';
import { paths } from '#web/lib/paths.ts';
import { useAuthDialog, useSession } from '#web/data/session.tsx';
import { useBackAgain } from '#web/lib/use-back-again.ts';
import { Button, buttonStyle } from '#web/ui/button.tsx';
import { Notice, Waiting } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';

/** Delay before the check opens automatically. Any input stops it: the customer may want to use a photo instead. */
const GO_ON_SECONDS = 5;

/** Leads to the hosted identity check for the pending booking, or to the checkout for a photo of the licence. */
export default function VerifyCompletePage() {
  const { status, user } = useSession();
  const { open } = useAuthDialog();
  const navigate = useNavigate();
  const state: unknown = useLocation().state;
  const [kept] = useState(() => drafts.ofState(state) ?? drafts.booking());
  const server = useQuery({
    queryKey: ['draft', user?.id],
    queryFn: readServerDraft,
    enabled: kept === null && status === 'in',
    retry: 0,
  });
  const draft = kept ?? server.data ?? null;
  // The customer chose the hosted check in the ID dialog: do not ask again.
  const chosen = kept !== null && state !== null && typeof state === 'object' && 'goOn' in state && !cameBack();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  useBackAgain(() => setBusy(false));
  const toPhoto = draft === null ? null : drafts.handOver(draft);

  async function begin(): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      const made = drafts.verification();
      const session = made !== null && made.openedAt === undefined ? made : await beginHostedCheck(draft);
      drafts.keepVerification({ ...session, openedAt: Date.now() });
      // `replace`: Back from the check skips this page.
      leaveTo(session.url, 'replace');
    } catch (error) {
      if (errorCode(error) === 'not_configured')
        return void navigate(paths.checkout, { replace: true, state: toPhoto });
      setProblem(describeError(error, 'Failed to start verification'));
      setBusy(false);
    }
    return undefined;
  }

  // Continue automatically with a pending booking in this tab, but not after Back or a reload.
  const waits = kept !== null && status === 'in' && !cameBack() && !chosen && !busy && problem === null;
  const seconds = useCountdown(waits, GO_ON_SECONDS);
  const goesOn = chosen || seconds === 0;
  const goOn = useEffectEvent(() => void begin());
  useEffect(() => {
    if (goesOn) goOn();
  }, [goesOn]);

  if (status === 'loading' || server.isLoading) return <Waiting label="Loading your booking" />;
  if (busy) return <Waiting label="Opening the identity check" />;
  const message = draft === null ? 'No booking data found. Please try booking again.' : problem;
  return (
    <Shell
      back={{ to: paths.booking, label: 'Back to booking' }}
      title="Verify your ID"
      lead={
        <p>
          One check, then you can book whenever you like. Our identity service looks at your licence and your face. It
          takes about two minutes, then you come back here.
        </p>
      }
    >
      {message ? (
        <Notice tone="bad">
          <p>{message}</p>
        </Notice>
      ) : null}
      <div className="mt-6 flex flex-wrap gap-3">
        {draft === null ? null : status === 'out' ? (
          <Button onClick={() => open('sign-in')}>Sign In</Button>
        ) : (
          <>
            <Button onClick={() => void begin()}>Start the check</Button>
            <Link to={paths.checkout} state={toPhoto} className={buttonStyle.plain}>
              Use a photo of my licence here
            </Link>
          </>
        )}
        <ReturnToBooking />
      </div>
      <p role="timer" className="mt-4 min-h-6 text-sm text-fog">
        {seconds === null
          ? null
          : `The check opens automatically in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`}
      </p>
    </Shell>
  );
}

/** Counts down while `on`, to 0; null when off and after the first input. */
function useCountdown(on: boolean, from: number): number | null {
  const [left, setLeft] = useState(from);
  const [stopped, setStopped] = useState(false);
  const runs = on && !stopped && left > 0;
  useEffect(() => {
    if (!runs) return;
    const timer = setInterval(() => setLeft((seconds) => seconds - 1), 1_000);
    const stop = (): void => setStopped(true);
    const signs = ['pointerdown', 'keydown', 'wheel', 'touchstart'] as const;
    for (const sign of signs) window.addEventListener(sign, stop, { passive: true });
    return () => {
      clearInterval(timer);
      for (const sign of signs) window.removeEventListener(sign, stop);
    };
  }, [runs]);
  return on && !stopped ? left : null;
}

/** Whether this page was reached with the browser's Back or a reload. */
function cameBack(): boolean {
  const [entry] = performance.getEntriesByType('navigation');
  const loaded = entry instanceof PerformanceNavigationTiming && new URL(entry.name).pathname === paths.verifyComplete;
  return loaded && entry.type !== 'navigate';
}
