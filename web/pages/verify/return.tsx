import { useState } from 'react';
import type { StudioHours } from '#rules/nearest-free.ts';
import { formatStudioDate } from '#rules/studio-time.ts';
import { ReturnToBooking } from '#web/features/identity/return-to-booking.tsx';
import { useCheckReturn } from '#web/features/identity/use-check-return.ts';
import { LostDraft } from '#web/features/lost-hours/lost-draft.tsx';
import { useLostDraft } from '#web/features/lost-hours/use-lost-draft.ts';
import { useStudios } from '#web/features/studios/queries.ts';
import { replaceDraft } from '#web/data/drafts/server-draft.ts';
import { useAuthDialog, useSession } from '#web/data/session.tsx';
import { drafts } from '#web/lib/drafts.ts';
import { paths } from '#web/lib/paths.ts';
import { Link, useNavigate } from '#web/router/router.tsx';
import { Button, buttonStyle } from '#web/ui/button.tsx';
import { Notice, Waiting } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';

const BACK = { to: paths.checkout, label: 'Back to checkout' };

/** Handles the return from the identity check: waits for the result, then continues, or shows why it cannot. */
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
  if (check.processing)
    return (
      <>
        <Waiting label="Your ID is being checked. This page updates automatically." />
        <div className="mx-auto max-w-2xl px-4 pb-16 sm:px-8">
          <Hours />
        </div>
      </>
    );
  return <NotVerified check={check} />;
}

/** Reports if the chosen hours were lost during the check, and offers others. */
function Hours() {
  const { user } = useSession();
  const userId = user?.id ?? null;
  const [draft, keep] = useState(() => drafts.booking());
  const studios = useStudios().data ?? [];
  const state = useLostDraft({ draft, userId, paused: false });
  function takeHours(hours: StudioHours): void {
    const studio = studios.find(({ id }) => id === hours.studioId);
    if (studio) keep(replaceDraft(studio, hours.slots, null));
  }
  return <LostDraft state={state} studios={studios} userId={userId} onTake={takeHours} />;
}

function NotVerified({ check }: { check: ReturnType<typeof useCheckReturn> }) {
  const navigate = useNavigate();
  const { started, inReview, decidedBy, problem, askAgain, asking } = check;
  const tryAgain = askAgain ?? (() => navigate(drafts.booking() === null ? paths.profile : paths.verifyComplete));
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
      <div className="mt-4 empty:hidden">
        <Hours />
      </div>
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
