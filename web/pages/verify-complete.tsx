import { useState } from 'react';
import { useNavigate } from 'react-router';
import { createHostedCheck } from '#web/features/identity/queries.ts';
import { drafts } from '#web/lib/drafts.ts';
import { describeError } from '#web/lib/errors.ts';
import { paths } from '#web/lib/paths.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';

/** The door to the hosted identity check, for the booking that waits. */
export default function VerifyCompletePage() {
  const navigate = useNavigate();
  const draft = drafts.booking();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(
    draft ? null : 'No booking data found. Please try booking again.',
  );

  async function begin(): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      const session = await createHostedCheck(draft);
      if (!session.verificationUrl) throw new Error('No verification URL received');
      drafts.keepVerification({ id: session.verificationSessionId, url: session.verificationUrl });
      window.location.assign(session.verificationUrl);
    } catch (error) {
      setProblem(describeError(error, 'Failed to start verification'));
      setBusy(false);
    }
  }

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
      {problem ? (
        <Notice tone="bad">
          <p>{problem}</p>
        </Notice>
      ) : null}
      <div className="mt-6 flex flex-wrap gap-3">
        <Button busy={busy} disabled={!draft} onClick={() => void begin()}>
          Start the check
        </Button>
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
