import { lazy, type ReactNode, StrictMode, Suspense } from 'react';
import { AuthDialogProvider, SessionProvider, useAuthDialog } from './lib/session.tsx';
import { AppRoutes } from './routes.tsx';
import { Toaster } from './ui/toast.tsx';

const AuthDialog = lazy(() => import('./features/auth/auth-dialog.tsx'));

/** The sign-in dialog is fetched when somebody first asks for it. */
function Dialogs() {
  const { view } = useAuthDialog();
  return view === null ? null : (
    <Suspense>
      <AuthDialog />
    </Suspense>
  );
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
            </>,
          )}
          <Toaster />
        </AuthDialogProvider>
      </SessionProvider>
    </StrictMode>
  );
}
