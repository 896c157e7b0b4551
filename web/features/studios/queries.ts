import { useQuery } from '@tanstack/react-query';
import { rest } from '#web/data/rest.ts';
import { queryKeys } from '#web/data/query-keys.ts';

export type Studio = {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly features: readonly string[];
  readonly hourly_rate: number;
};
/** Reads all studios. The server limits the rows of one answer and says how many there are, so the rest is read page by page. */
async function readStudios(): Promise<Studio[]> {
  const studios: Studio[] = [];
  for (;;) {
    const page = rest.from('studios').select('*', { count: 'exact' }).order('name').order('id');
    const { data, error, count } = await (studios.length === 0
      ? page
      : page.range(studios.length, studios.length + PAGE - 1));
    if (error) throw error;
    studios.push(...data);
    if (data.length === 0 || studios.length >= (count ?? 0)) return studios;
  }
}
/** As many rows as the server returns at once by default. */
const PAGE = 1_000;

/** Queries the studios, by name. */
export function useStudios() {
  return useQuery({ queryKey: queryKeys.studios.of(), queryFn: readStudios, staleTime: 300_000 });
}
