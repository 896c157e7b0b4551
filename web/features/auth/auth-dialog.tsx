import { toSpan } from '#rules/slots.ts';
import { formatStudioDate, formatStudioHours } from '#rules/studio-time.ts';
import { useRooms } from '#web/lib/business/business.ts';
import { drafts } from '#web/lib/drafts.ts';
import { paths } from '#web/lib/paths.ts';
import { useAuthDialog } from '#web/data/session.tsx';
import { useLocation, useNavigate } from '#web/router/router.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { AuthTabs } from './auth-tabs.tsx';
import { destination } from './destination.ts';

/** Lets the customer sign in without leaving the page, unless an unfinished booking is on another page. */
export default function AuthDialog() {
  const { view, close } = useAuthDialog();
  const navigate = useNavigate();
  const { pathname, search } = useLocation();

  function continueAfterSignIn(): void {
    close();
    const to = destination({
      hasDraft: drafts.booking() !== null,
      hasSelection: drafts.selection() !== null,
      from: `${pathname}${search}`,
      justVerified: false,
    });
    // The customer is already on that page, which reacts to the new session itself.
    if (to.split('?')[0] === pathname) return;
    window.scrollTo({ top: 0 });
    navigate(to);
  }

  /** Closes the dialog without signing in. A later sign-in restores the hours, but does not continue the abandoned Book Now. */
  function dismiss(): void {
    const kept = drafts.selection();
    if (kept !== null) drafts.saveSelection({ ...kept, bookNow: false });
    close();
  }

  return (
    <Dialog open={view !== null} title="Welcome to the studio" onClose={dismiss}>
      {view === null ? null : (
        <>
          <KeptHours />
          <AuthTabs
            start={view}
            redirectTo={`${window.location.origin}/email-verified`}
            onSignedIn={continueAfterSignIn}
            onCodeSent={(email) => {
              close();
              navigate(paths.auth, { state: { showVerification: true, email } });
            }}
          />
        </>
      )}
    </Dialog>
  );
}

/** Shows that Book Now will continue with the chosen hours. Shows nothing if the dialog was opened for another reason. */
function KeptHours() {
  const rooms = useRooms();
  const kept = drafts.selection();
  const room = rooms.find(({ id }) => id === kept?.studioId);
  if (kept?.bookNow !== true || room === undefined || kept.slots.length === 0) return null;
  const { start, end } = toSpan(kept.slots);
  return (
    <p className="mb-5 border-l-4 border-signal bg-deck px-4 py-3">
      <strong className="block">
        {room.name}, {formatStudioDate(start, 'medium')}, {formatStudioHours(start, end)}
      </strong>
      <span className="text-sm text-fog">Sydney time. Your booking continues here once you’re signed in.</span>
    </p>
  );
}
