import { drafts } from '#web/lib/drafts.ts';
import { paths } from '#web/lib/paths.ts';
import { useAuthDialog } from '#web/data/session.tsx';
import { useLocation, useNavigate } from '#web/router/router.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { AuthTabs } from './auth-tabs.tsx';
import { destination } from './destination.ts';

/** Signs in without leaving the page, unless an unfinished booking is on another one. */
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
    // Already there: the page reacts to the new session itself.
    if (to.split('?')[0] === pathname) return;
    window.scrollTo({ top: 0 });
    navigate(to);
  }

  return (
    <Dialog open={view !== null} title="Welcome to the studio" onClose={close}>
      {view === null ? null : (
        <AuthTabs
          start={view}
          redirectTo={`${window.location.origin}/email-verified`}
          onSignedIn={continueAfterSignIn}
          onCodeSent={(email) => {
            close();
            navigate(paths.auth, { state: { showVerification: true, email } });
          }}
        />
      )}
    </Dialog>
  );
}
