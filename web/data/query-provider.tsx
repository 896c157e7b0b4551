import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { onSignOut } from './session.tsx';

const client = new QueryClient({
  defaultOptions: {
    // Data calls are tried four times by their client already, over seven seconds.
    // Without a connection they fail, and the page says so, instead of waiting for one without a word.
    queries: { retry: 0, networkMode: 'always', refetchOnWindowFocus: true, staleTime: 2_000 },
    mutations: { networkMode: 'always' },
  },
});
// What one person was shown is not shown to the next.
onSignOut(() => client.clear());

/** Around every page that asks the server for data; pages that do not are spared its weight. */
export function QueryProvider({ children }: { children: ReactNode }) {
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}
