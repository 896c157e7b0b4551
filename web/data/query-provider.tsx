import {
  type Mutation,
  MutationCache,
  QueryCache,
  QueryClient,
  QueryClientProvider,
  type QueryKey,
} from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { describeError, errorCode, UNEXPECTED } from '#web/lib/errors.ts';
import { fetchClient } from './fetch-client.ts';
import { onSignOut } from './session.tsx';

/** How a mutation reports its failure, and which queries its end makes stale. */
type MutationMeta = {
  /** The component reports the failure itself: at a field, or in place. Every other failure becomes a toast, so none is shown twice. */
  readonly handled?: true;
  /** Title and text of the toast; the text is for errors without a message for people. */
  readonly title?: string;
  readonly failure?: string;
  readonly invalidates?: readonly QueryKey[];
};
declare module '@tanstack/react-query' {
  // TanStack reads the type of `meta` from this interface.
  interface Register {
    mutationMeta: MutationMeta;
  }
}

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

const client = new QueryClient({
  queryCache: new QueryCache({ onError: checkSession }),
  mutationCache: new MutationCache({
    onSuccess: (_data, _variables, _result, mutation) => invalidateFor(mutation),
    onError: (error, _variables, _result, mutation) => {
      checkSession(error);
      const { handled, title = 'Error', failure = UNEXPECTED } = mutation.meta ?? {};
      if (!handled) showFailure(title, describeError(error, failure));
      // What failed may have changed in another tab. Not awaited: without a connection this takes seconds.
      void invalidateFor(mutation);
    },
  }),
  defaultOptions: {
    // `rest.ts` already tries a read again, over three seconds.
    // `always`: without a connection a call fails and the page says so, instead of waiting silently.
    queries: { retry: 0, networkMode: 'always', refetchOnWindowFocus: true, staleTime: 2_000 },
    // Variables can be passwords, so finished mutations are forgotten with their component.
    mutations: { networkMode: 'always', gcTime: 0 },
  },
});
// Do not show one account the cached data of another.
onSignOut(() => client.clear());

async function invalidateFor(mutation: Mutation<unknown, unknown, unknown>): Promise<void> {
  await Promise.all(mutation.meta?.invalidates?.map((queryKey) => client.invalidateQueries({ queryKey })) ?? []);
}

/** Wraps every page that reads data from the server. Other pages do not load the query library. */
export function QueryProvider({ children }: { children: ReactNode }) {
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}
