import { QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { errorCode } from '#web/lib/errors.ts';
import { createQueryClient } from '#web/lib/query-client.ts';
import { fetchClient } from './fetch-client.ts';
import { onSignOut } from './session.tsx';

let showFailure = (_title: string, _text: string): void => {};
/** Sets what shows the failures of mutations: `web/data` cannot know the toasts of `web/ui`. */
export function showFailuresWith(show: (title: string, text: string) => void): void {
  showFailure = show;
}

/** Codes of a call whose session is gone: signed out from another device, or a deleted account. */
const SESSION_GONE = ['session_not_found', 'PGRST301'];

/** Lets the auth client ask for the account when a call says that the session is gone: it then signs this browser out. */
function checkSession(error: unknown): void {
  if (!SESSION_GONE.includes(errorCode(error))) return;
  // A failure leaves this browser as it is, and the next call asks again.
  fetchClient()
    .then((client) => client.auth.getUser())
    .catch(() => undefined);
}

const client = createQueryClient({ onError: checkSession, showFailure: (title, text) => showFailure(title, text) });
// Do not show one account the cached data of another.
onSignOut(() => client.clear());

/** Wraps every page that reads data from the server. Other pages do not load the query library. */
export function QueryProvider({ children }: { children: ReactNode }) {
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}
