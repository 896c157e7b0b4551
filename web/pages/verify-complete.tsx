import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { useLocation } from 'react-router';
import { readServerDraft } from '#web/features/checkout/queries.ts';
import { createHostedCheck } from '#web/features/identity/queries.ts';
import { ReturnToBooking } from '#web/features/identity/return-to-booking.tsx';
import { type BookingDraft, drafts } from '#web/lib/drafts.ts';
import { describeError } from '#web/lib/errors.ts';
import { leaveTo } from '#web/lib/leave.ts';
import { paths } from '#web/lib/paths.ts';
import { useAuthDialog, useSession } from '#web/lib/session.tsx';
import { useBackAgain } from '#web/lib/use-back-again.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice, Waiting } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';

/** The door to the hosted identity check, for the booking that waits. */
export default function VerifyCompletePage() {
  const { status, user } = useSession();
  const { open } = useAuthDialog();
  const [kept] = useState(() => drafts.booking());
  const server = useQuery({
    queryKey: ['draft', user?.id],
    queryFn: readServerDraft,
    enabled: kept === null && status === 'in',
    retry: 0,
  });
  const draft = kept ?? server.data ?? null;
  const state: unknown = useLocation().state;
  // From the ID dialog, which has just made the session.
  const [made] = useState(() =>
    state !== null && typeof state === 'object' && 'goOn' in state && kept !== null ? drafts.verification() : null,
  );
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  useBackAgain(() => setBusy(false));

  async function begin(): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      const session = made ?? (await makeSession(draft));
      // Not a step on the way back: Back from the check leads to the checkout.
      leaveTo(session.url, 'replace');
    } catch (error) {
      setProblem(describeError(error, 'Failed to start verification'));
      setBusy(false);
    }
  }

  // With a booking that waits in this tab the page goes on by itself (spec section 2); never when somebody came back to it.
  const goesOn = made !== null || (kept !== null && status === 'in' && !cameBack());
  const goOn = useEffectEvent(() => void begin());
  useEffect(() => {
    if (goesOn) goOn();
  }, [goesOn]);

  if (status === 'loading' || server.isLoading) return <Waiting label="Loading your booking" />;
  if (busy) return <Waiting label="Opening the identity check" />;
  const told = draft === null ? 'No booking data found. Please try booking again.' : problem;
  return (
    <Shell
      back={{ to: paths.checkout, label: 'Back to checkout' }}
      title="Verify your ID"
      lead={
        <p>
          Our identity service looks at your licence and your face. It takes about two minutes and brings you back here.
        </p>
      }
    >
      {told ? (
        <Notice tone="bad">
          <p>{told}</p>
        </Notice>
      ) : null}
      <div className="mt-6 flex flex-wrap gap-3">
        {draft === null ? null : status === 'out' ? (
          <Button onClick={() => open('sign-in')}>Sign In</Button>
        ) : (
          <Button busy={busy} onClick={() => void begin()}>
            Start the check
          </Button>
        )}
        <ReturnToBooking />
      </div>
    </Shell>
  );
}

/** The ids are kept in this tab: /verify-return asks with them how it went (spec section 4). */
async function makeSession(draft: BookingDraft | null): Promise<{ id: string; url: string }> {
  const session = await createHostedCheck(draft);
  if (!session.verificationUrl) throw new Error('No verification URL received');
  const made = { id: session.verificationSessionId, url: session.verificationUrl };
  drafts.keepVerification(made);
  return made;
}

/** Whether the browser's Back or a reload brought somebody to this page. */
function cameBack(): boolean {
  const [entry] = performance.getEntriesByType('navigation');
  const loaded = entry instanceof PerformanceNavigationTiming && new URL(entry.name).pathname === paths.verifyComplete;
  return loaded && entry.type !== 'navigate';
}
