import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { onSignOut } from './session.tsx';

const client = new QueryClient({
  defaultOptions: {
    // supabase-js already retries data calls four times over seven seconds.
    // `always`: without a connection a call fails and the page says so, instead of waiting silently.
    queries: { retry: 0, networkMode: 'always', refetchOnWindowFocus: true, staleTime: 2_000 },
    mutations: { networkMode: 'always' },
  },
});
// Do not show one account the cached data of another.
onSignOut(() => client.clear());

/** Wraps every page that reads data from the server. Other pages do not load the query library. */
export function QueryProvider({ children }: { children: ReactNode }) {
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}
