import { lazy, type ReactNode, StrictMode, Suspense, useEffect, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { paths } from './lib/paths.ts';
import { wantedFactors } from './lib/second-step.ts';
import { AuthDialogProvider, SessionProvider, useAuthDialog, useSession } from './lib/session.tsx';
import { AppRoutes } from './routes.tsx';
import { Toaster } from './ui/toast.tsx';

const AuthDialog = lazy(() => import('./features/auth/auth-dialog.tsx'));
const SecondStep = lazy(() => import('./features/auth/second-step.tsx'));

/** The sign-in dialog is fetched when somebody first asks for it, the second step when somebody has one to take. */
function Dialogs() {
  const { view } = useAuthDialog();
  const { session, signOut } = useSession();
  const [first, ...others] = wantedFactors(session);
  if (first !== undefined)
    return (
      <Suspense>
        <SecondStep factors={[first, ...others]} onSignOut={() => void signOut()} />
      </Suspense>
    );
  return view === null ? null : (
    <Suspense>
      <AuthDialog />
    </Suspense>
  );
}

/** Who signs out on the checkout, here or in another tab, is taken home instead of being asked to sign in (spec section 2). */
function CheckoutLeft() {
  const { status } = useSession();
  const { close } = useAuthDialog();
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const before = useRef(status);
  useEffect(() => {
    const left = before.current === 'in' && status === 'out';
    before.current = status;
    if (!left || pathname !== paths.checkout) return;
    close();
    void navigate(paths.home);
  }, [status, pathname, close, navigate]);
  return null;
}

/** Everything on the page; `route` puts it into a router, which is the browser's or, when printed, one of a fixed address. */
export function App({ route }: { route: (inside: ReactNode) => ReactNode }) {
  return (
    <StrictMode>
      <SessionProvider>
        <AuthDialogProvider>
          {route(
            <>
              <AppRoutes />
              <Dialogs />
              <CheckoutLeft />
            </>,
          )}
          <Toaster />
        </AuthDialogProvider>
      </SessionProvider>
    </StrictMode>
  );
}
