import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { readServerDraft } from '#web/features/checkout/queries.ts';
import { createHostedCheck } from '#web/features/identity/queries.ts';
import { drafts } from '#web/lib/drafts.ts';
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
  const navigate = useNavigate();
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
  // From the ID dialog, which has just made the session: straight on. Whoever opens this page by hand presses a button.
  const [made] = useState(() =>
    state !== null && typeof state === 'object' && 'goOn' in state && kept !== null ? drafts.verification() : null,
  );
  const [busy, setBusy] = useState(made !== null);
  const [problem, setProblem] = useState<string | null>(null);
  useBackAgain(() => setBusy(false));

  useEffect(() => {
    if (made === null) return;
    // Not a step on the way back: Back from the check leads to the checkout.
    leaveTo(made.url, 'replace');
  }, [made]);

  async function begin(): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      const session = await createHostedCheck(draft);
      if (!session.verificationUrl) throw new Error('No verification URL received');
      drafts.keepVerification({ id: session.verificationSessionId, url: session.verificationUrl });
      leaveTo(session.verificationUrl, 'replace');
    } catch (error) {
      setProblem(describeError(error, 'Failed to start verification'));
      setBusy(false);
    }
  }

  if (status === 'loading' || server.isLoading) return <Waiting label="Loading your booking" />;
  if (busy && made !== null) return <Waiting label="Opening the identity check" />;
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
        <Button
          tone="plain"
          onClick={() => {
            drafts.dropBooking();
            void navigate(paths.booking);
          }}
        >
          Return to Booking
        </Button>
      </div>
    </Shell>
  );
}
