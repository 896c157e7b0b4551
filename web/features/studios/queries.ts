import { useQuery } from '@tanstack/react-query';
import type { Rates } from '#rules/pricing.ts';
import { studioDate } from '#rules/studio-time.ts';
import { RATE_COLUMNS, type RateRows, toRates } from '#web/data/finding/rates.ts';
import { rest } from '#web/data/rest.ts';
import { queryKeys } from '#web/data/query-keys.ts';

/** A studio with its current and future prices. */
type Studio = {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly features: readonly string[];
  readonly photos: readonly string[];
  readonly rates: Rates;
};

/** Reads all studios. The server limits the rows of an answer and reports their total number, so the remaining rows are read page by page. */
async function readStudios(): Promise<Studio[]> {
  const studios: Studio[] = [];
  for (;;) {
    const page = rest
      .from('studios')
      .select(COLUMNS, { count: 'exact' })
      .gte('special_days.last_day', studioDate(new Date()))
      .eq('active', true)
      .order('sort_order')
      .order('name')
      .order('id');
    const { data, error, count } = await (studios.length === 0
      ? page
      : page.range(studios.length, studios.length + PAGE - 1));
    if (error) throw error;
    studios.push(...data.map(withRates));
    if (data.length === 0 || studios.length >= (count ?? 0)) return studios;
  }
}
const COLUMNS = `id, name, description, features, photos, ${RATE_COLUMNS}` as const;

type Answer = Omit<Studio, 'rates'> & RateRows;
const withRates = ({ current_price_lists, special_days, ...studio }: Answer): Studio => ({
  ...studio,
  rates: toRates({ current_price_lists, special_days }),
});

/** The number of rows that the server returns at once by default. */
const PAGE = 1_000;

/** Queries the studios in their order. */
export function useStudios() {
  return useQuery({ queryKey: queryKeys.studios.of(), queryFn: readStudios, staleTime: 300_000 });
}
