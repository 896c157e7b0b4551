import { type ComponentType, type ReactNode, StrictMode, Suspense, useEffect, useMemo, useRef } from 'react';
import { useLocation, useNavigate } from './router/router.tsx';
import { AccountEntry } from './features/landing/account-menu.tsx';
import { type PageData, PageDataProvider } from './lib/business/business.ts';
import { Offline } from './lib/business/offline.tsx';
import { KeptDoor } from './features/access/kept-door.tsx';
import { paths } from './lib/paths.ts';
import { wantedFactors } from './lib/second-step.ts';
import { AuthDialogProvider, SessionProvider, useAuthDialog, useSession } from './data/session.tsx';
import { AppRoutes, loadQueryProvider } from './routes.tsx';
import { Button } from './ui/button.tsx';
import { DialogBoundary, LastResort } from './ui/crash-screen.tsx';
import { lazyPart } from './ui/load-part.ts';
import { SiteFrame } from './ui/shell.tsx';
import { Toaster } from './ui/toast.tsx';

const AuthDialog = lazyPart(() => withQueries(import('./features/auth/auth-dialog.tsx')));
const SecondStep = lazyPart(() => withQueries(import('./features/auth/second-step.tsx')));

/** Wraps a dialog in the query provider, which the page behind it may lack. */
async function withQueries<P extends object>(file: Promise<{ default: ComponentType<P> }>) {
  const [{ default: Part }, QueryProvider] = await Promise.all([file, loadQueryProvider()]);
  return {
    default: (props: P) => (
      <QueryProvider>
        <Part {...props} />
      </QueryProvider>
    ),
  };
}

/** Shows the sign-in dialog or the second step. Each is fetched only when it is first needed. */
function Dialogs() {
  const { view, close } = useAuthDialog();
  const { session, signOut } = useSession();
  const { pathname } = useLocation();
  const [first, ...others] = wantedFactors(session);
  const leave = (): void => void signOut();
  if (first !== undefined)
    return (
      <DialogBoundary
        page={`second step ${pathname}`}
        onClose={leave}
        action={
          <Button tone="plain" onClick={leave}>
            Sign Out
          </Button>
        }
      >
        <Suspense>
          <SecondStep factors={[first, ...others]} onSignOut={leave} />
        </Suspense>
      </DialogBoundary>
    );
  return view === null ? null : (
    <DialogBoundary page={`sign in ${pathname}`} onClose={close}>
      <Suspense>
        <AuthDialog />
      </Suspense>
    </DialogBoundary>
  );
}

/** Leaves the checkout for the home page after a sign-out, here or in another tab, instead of prompting the visitor to sign in again. */
function LeaveCheckout() {
  const { status } = useSession();
  const { close } = useAuthDialog();
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const before = useRef(status);
  useEffect(() => {
    const signedOut = before.current === 'in' && status === 'out';
    before.current = status;
    if (!signedOut || pathname !== paths.checkout) return;
    close();
    navigate(paths.home);
  }, [status, pathname, close, navigate]);
  return null;
}

/**
 * Renders the whole app. `data`: the data that the server has written into the page. `route` wraps the app in a router: the browser's, or
 * one with a fixed address at build time.
 */
export function App({ data, route }: { data: PageData; route: (inside: ReactNode) => ReactNode }) {
  const { name } = data.business;
  const frame = useMemo(() => ({ name, account: <AccountEntry />, notice: <Offline />, kept: <KeptDoor /> }), [name]);
  return (
    <StrictMode>
      <LastResort>
        <PageDataProvider value={data}>
          <SessionProvider>
            <AuthDialogProvider>
              <SiteFrame value={frame}>
                {route(
                  <>
                    <AppRoutes />
                    <Dialogs />
                    <LeaveCheckout />
                  </>,
                )}
              </SiteFrame>
              <Toaster />
            </AuthDialogProvider>
          </SessionProvider>
        </PageDataProvider>
      </LastResort>
    </StrictMode>
  );
}
