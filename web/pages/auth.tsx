import { useEffect } from 'react';
import { AuthTabs } from '#web/features/auth/auth-tabs.tsx';
import { CodeForm } from '#web/features/auth/code-form.tsx';
import { destination } from '#web/features/auth/destination.ts';
import { NewPasswordForm } from '#web/features/auth/new-password-form.tsx';
import { RoomPicture } from '#web/features/studios/room-picture.tsx';
import { useRooms } from '#web/lib/business/business.ts';
import { drafts } from '#web/lib/drafts.ts';
import { ownPath, paths } from '#web/lib/paths.ts';
import { useSession } from '#web/data/session.tsx';
import { useLocation, useNavigate, useSearchParams } from '#web/router/router.tsx';
import { Waiting } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';

export default function AuthPage() {
  const [room] = useRooms();
  const { status } = useSession();
  const navigate = useNavigate();
  const location = useLocation();
  const [search] = useSearchParams();
  const email = emailToVerify(location.state);
  const resetting = search.get('reset') === 'true';

  // `destination` decides where to go, also for the sign-in dialog.
  useEffect(() => {
    if (status !== 'in' || resetting) return;
    const to = destination({
      hasDraft: drafts.booking() !== null,
      hasSelection: drafts.selection() !== null,
      from: ownPath(search.get('from')),
      justVerified: email !== null,
    });
    navigate(to, { replace: true });
  }, [status, resetting, email, navigate, search]);

  if (status === 'loading' || (status === 'in' && !resetting)) return <Waiting label="One moment" />;
  const title = resetting ? 'New password' : email !== null ? 'Check your email' : 'Welcome';
  return (
    <Shell wide back={{ to: paths.home, label: 'Back' }} title={title}>
      <div className="grid items-start gap-12 lg:grid-cols-[28rem_1fr]">
        <div className="max-w-md min-w-0">
          {resetting ? (
            <NewPasswordForm
              tokenHash={search.get('token_hash')}
              invited={search.get('type') === 'invite'}
              signedIn={status === 'in'}
              onDone={() => navigate(paths.profile, { replace: true })}
              onAskAgain={() => navigate(paths.auth, { replace: true })}
            />
          ) : email !== null ? (
            <CodeForm email={email} onOther={() => navigate(location.search)} />
          ) : (
            <AuthTabs
              redirectTo={`${window.location.origin}${paths.profile}`}
              onSignedIn={() => undefined}
              // The address is kept in the history state, so that a reload still asks for the code.
              onCodeSent={(sentTo) => navigate(location.search, { state: { showVerification: true, email: sentTo } })}
            />
          )}
        </div>
        <div className="max-lg:hidden">{room ? <RoomPicture {...room} sizes="40rem" lazy /> : null}</div>
      </div>
    </Shell>
  );
}

function emailToVerify(state: unknown): string | null {
  if (state === null || typeof state !== 'object' || !('showVerification' in state) || !('email' in state)) return null;
  return state.showVerification === true && typeof state.email === 'string' ? state.email : null;
}
