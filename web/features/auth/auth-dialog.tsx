import { useNavigate } from 'react-router';
import { drafts } from '#web/lib/drafts.ts';
import { paths } from '#web/lib/paths.ts';
import { useAuthDialog } from '#web/lib/session.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { AuthTabs } from './auth-tabs.tsx';

/** Signing in without leaving the page one is on. */
export default function AuthDialog() {
  const { view, close } = useAuthDialog();
  const navigate = useNavigate();
  return (
    <Dialog open={view !== null} title="Welcome to the studio" onClose={close}>
      {view === null ? null : (
        <AuthTabs
          start={view}
          redirectTo={`${window.location.origin}/email-verified`}
          onSignedIn={() => {
            close();
            if (drafts.booking() && window.location.pathname !== paths.checkout) {
              window.scrollTo({ top: 0 });
              void navigate(paths.checkout);
            }
          }}
          onCodeSent={(email) => {
            close();
            void navigate(paths.auth, { state: { showVerification: true, email } });
          }}
        />
      )}
    </Dialog>
  );
}
