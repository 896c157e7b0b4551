import { type Mutation, MutationCache, QueryCache, QueryClient, type QueryKey } from '@tanstack/react-query';
import { describeError, UNEXPECTED } from './errors.ts';

/** How the failure of a mutation is reported, and which queries become stale when it ends. */
type MutationMeta = {
  /** The component itself reports the failure, at a field or in place. Every other failure becomes a toast, so that no failure is shown twice. */
  readonly handled?: true;
  /** Title and text of the toast. The text is used for errors without a message for people. */
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

/**
 * Creates the query client of the pages. `onError` receives every failure of a query or mutation. `showFailure` receives title and text of
 * each failed mutation that does not report its failure itself.
 */
export function createQueryClient({
  onError,
  showFailure,
}: {
  onError: (error: unknown) => void;
  showFailure: (title: string, text: string) => void;
}): QueryClient {
  const client = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({
      onSuccess: (_data, _variables, _result, mutation) => invalidateFor(client, mutation),
      onError: (error, _variables, _result, mutation) => {
        onError(error);
        const { handled, title = 'Error', failure = UNEXPECTED } = mutation.meta ?? {};
        if (!handled) showFailure(title, describeError(error, failure));
        // The failure may be due to a change in another tab. Not awaited, because it takes seconds without a connection.
        void invalidateFor(client, mutation);
      },
    }),
    defaultOptions: {
      // `rest.ts` already tries a read again, over three seconds.
      // `always`: without a connection a call fails and the page says so, instead of waiting silently.
      queries: { retry: 0, networkMode: 'always', refetchOnWindowFocus: true, staleTime: 2_000 },
      // Variables can contain passwords, so finished mutations are dropped together with their component.
      mutations: { networkMode: 'always', gcTime: 0 },
    },
  });
  return client;
}

async function invalidateFor(client: QueryClient, { meta }: Mutation<unknown, unknown, unknown>): Promise<void> {
  await Promise.all(meta?.invalidates?.map((queryKey) => client.invalidateQueries({ queryKey })) ?? []);
}
