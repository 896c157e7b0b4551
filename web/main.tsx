import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { config as configureZod } from 'zod';
import { lazy, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { AuthDialogProvider, SessionProvider, useAuthDialog } from './lib/session.tsx';
import { AppRoutes } from './routes.tsx';
import './styles.css';
import { Toaster } from './ui/toast.tsx';

const AuthDialog = lazy(() => import('./features/auth/auth-dialog.tsx'));
const client = new QueryClient({
  defaultOptions: { queries: { retry: 1, refetchOnWindowFocus: true, staleTime: 2_000 } },
});

/** The sign-in dialog is fetched when somebody first asks for it. */
function Dialogs() {
  const { view } = useAuthDialog();
  return view === null ? null : (
    <Suspense>
      <AuthDialog />
    </Suspense>
  );
}

// The page may not make code from text; zod is told not to try.
configureZod({ jitless: true });

const root = document.getElementById('root');
if (!root) throw new Error('the page has no root');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <SessionProvider>
        <AuthDialogProvider>
          <BrowserRouter>
            <AppRoutes />
            <Dialogs />
          </BrowserRouter>
          <Toaster />
        </AuthDialogProvider>
      </SessionProvider>
    </QueryClientProvider>
  </StrictMode>,
);
