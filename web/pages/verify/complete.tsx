import { useState } from 'react';
import type { StudioHours } from '#rules/nearest-free.ts';
import { IdChoice } from '#web/features/identity/id-choice.tsx';
import { ReturnToBooking } from '#web/features/identity/return-to-booking.tsx';
import { useStartCheck } from '#web/features/identity/use-start-check.ts';
import { LostDraft } from '#web/features/lost-hours/lost-draft.tsx';
import { useLostDraft } from '#web/features/lost-hours/use-lost-draft.ts';
import { useStudios } from '#web/features/studios/queries.ts';
import { HeldUntil } from '#web/data/drafts/held-until.tsx';
import { replaceDraft, useServerDraft } from '#web/data/drafts/server-draft.ts';
import { useAuthDialog, useSession } from '#web/data/session.tsx';
import { type BookingDraft, drafts } from '#web/lib/drafts.ts';
import { paths } from '#web/lib/paths.ts';
import { Link, useLocation } from '#web/router/router.tsx';
import { Button, buttonStyle } from '#web/ui/button.tsx';
import { Notice, Waiting } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';

const BACK = { to: paths.booking, label: 'Back to booking' };

/** Leads to the hosted identity check for the pending booking, or to the checkout for a photo of the licence. */
export default function VerifyCompletePage() {
  const { status, user } = useSession();
  const { open } = useAuthDialog();
  const state: unknown = useLocation().state;
  const [kept, keep] = useState(() => drafts.fromState(state) ?? drafts.booking());
  const server = useServerDraft(user?.id ?? null, kept === null);
  const draft = kept ?? server.data ?? null;
  const studios = useStudios().data ?? [];
  const hours = useLostDraft({ draft, userId: user?.id ?? null, paused: false });
  const here = kept !== null && !isBackOrReload();
  const check = useStartCheck({
    draft,
    // The customer chose the hosted check in the ID dialog, so the page must not ask again.
    chosen: here && state !== null && typeof state === 'object' && 'autoContinue' in state,
    // The check opens automatically for a pending booking in this tab, but not after Back or a reload.
    automatic: here && status === 'in' && hours.lost === null,
  });

  if (status === 'loading' || server.isLoading) return <Waiting label="Loading your booking" />;
  if (check.busy) return <Waiting label="Opening the identity check" />;
  function takeHours(next: StudioHours): void {
    const studio = studios.find(({ id }) => id === next.studioId);
    if (studio) keep(replaceDraft(studio, next.slots, null));
  }
  const message = draft === null ? 'No booking data found. Please try booking again.' : check.problem;
  return (
    <Shell back={BACK} title="Verify your ID" lead={<Lead draft={draft} />}>
      {message ? (
        <Notice tone="bad">
          <p>{message}</p>
        </Notice>
      ) : null}
      <LostDraft state={hours} studios={studios} userId={user?.id ?? null} onTake={takeHours} />
      {draft === null ? null : status === 'out' ? (
        <Button onClick={() => open('sign-in')}>Sign In</Button>
      ) : (
        <IdChoice
          photo={
            <Link to={paths.checkout} state={{ ...drafts.toState(draft), photo: true }} className={buttonStyle.signal}>
              Use a photo of my licence here
            </Link>
          }
          online={
            <Button tone="plain" onClick={check.start}>
              Start the check
            </Button>
          }
        />
      )}
      <div className="mt-6 flex flex-wrap items-center justify-between gap-3">
        <p role="timer" className="min-h-6 text-sm text-fog">
          {check.seconds === null
            ? null
            : `The check opens automatically in ${check.seconds} ${check.seconds === 1 ? 'second' : 'seconds'}.`}
        </p>
        <ReturnToBooking />
      </div>
    </Shell>
  );
}

function Lead({ draft }: { draft: BookingDraft | null }) {
  return (
    <>
      <p>You need to be 18 or older. One check, then you can book whenever you like.</p>
      {draft === null ? null : <HeldUntil draft={draft} />}
    </>
  );
}

/** Whether this page was reached by Back or by a reload. */
function isBackOrReload(): boolean {
  const [entry] = performance.getEntriesByType('navigation');
  const loaded = entry instanceof PerformanceNavigationTiming && new URL(entry.name).pathname === paths.verifyComplete;
  return loaded && entry.type !== 'navigate';
}
