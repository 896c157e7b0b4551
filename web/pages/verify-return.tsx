import { Link, useNavigate } from 'react-router';
import { formatStudioDate } from '#rules/studio-time.ts';
import { ReturnToBooking } from '#web/features/identity/return-to-booking.tsx';
import { useCheckReturn } from '#web/features/identity/use-check-return.ts';
import { useAuthDialog, useSession } from '#web/data/session.tsx';
import { drafts } from '#web/lib/drafts.ts';
import { paths } from '#web/lib/paths.ts';
import { Button, buttonStyle } from '#web/ui/button.tsx';
import { Notice, Waiting } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';

const BACK = { to: paths.checkout, label: 'Back to checkout' };

/** Handles the return from the identity check: waits for the result, then leads on, or says why not. */
export default function VerifyReturnPage() {
  const { status } = useSession();
  const { open } = useAuthDialog();
  const check = useCheckReturn();
  if (check.started && status === 'out') {
    return (
      <Shell back={BACK} title="Nearly there">
        <p className="text-fog">Please sign in again so we can see how your identity check went.</p>
        <Button className="mt-6" onClick={() => open('sign-in')}>
          Sign In
        </Button>
      </Shell>
    );
  }
  if (check.waiting) return <Waiting label="Confirming your ID" />;
  if (check.processing) return <Waiting label="Your ID is being checked. This page updates automatically." />;
  return <NotVerified check={check} />;
}

function NotVerified({ check }: { check: ReturnType<typeof useCheckReturn> }) {
  const navigate = useNavigate();
  const { started, inReview, decidedBy, problem, askAgain, asking } = check;
  const tryAgain = askAgain ?? (() => void navigate(drafts.booking() === null ? paths.profile : paths.verifyComplete));
  return (
    <Shell back={BACK} title={inReview ? 'Nearly there' : 'Not verified'}>
      <Notice tone={inReview ? 'warn' : 'bad'}>
        <p>{started ? problem : 'No verification session ID found. Please try booking again.'}</p>
        {decidedBy === null ? null : (
          <p className="mt-2 text-sm text-fog">
            Someone on our team is checking this and will decide by {formatStudioDate(decidedBy)}. You don’t have to
            wait: if there’s a typo in your account, fix it in your profile and try again.
          </p>
        )}
      </Notice>
      <div className="mt-6 flex flex-wrap gap-3">
        {started ? (
          <Button onClick={tryAgain} busy={askAgain !== null && asking}>
            Try Again
          </Button>
        ) : null}
        {inReview ? (
          <Link to={paths.profile} className={buttonStyle.plain}>
            Your profile
          </Link>
        ) : null}
        <ReturnToBooking />
      </div>
    </Shell>
  );
}
