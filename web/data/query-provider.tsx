import { QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { errorCode } from '#web/lib/errors.ts';
import { createQueryClient } from '#web/lib/query-client.ts';
import { fetchClient } from './fetch-client.ts';
import { onSignOut } from './session.tsx';

let showFailure = (_title: string, _text: string): void => {};
/** Sets the function that shows failed mutations. `web/data` must not import the toasts of `web/ui`. */
export function showFailuresWith(show: (title: string, text: string) => void): void {
  showFailure = show;
}

/** Error codes that mean that the session is gone, because it was signed out from another device or the account was deleted. */
const SESSION_GONE = ['session_not_found', 'PGRST301'];

/** If an error means that the session is gone, reads the account with the auth client, which then signs this browser out. */
function checkSession(error: unknown): void {
  if (!SESSION_GONE.includes(errorCode(error))) return;
  // If this fails, nothing changes, and the next call tries again.
  fetchClient()
    .then((client) => client.auth.getUser())
    .catch(() => undefined);
}

const client = createQueryClient({ onError: checkSession, showFailure: (title, text) => showFailure(title, text) });
// An account must never see the cached data of another account.
onSignOut(() => client.clear());

/** Wraps every page that reads data from the server. Other pages do not load the query library. */
export function QueryProvider({ children }: { children: ReactNode }) {
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}
