import { useQuery } from '@tanstack/react-query';
import type { Database } from '#database/types.ts';
import type { Rates } from '#rules/pricing.ts';
import { studioDate } from '#rules/studio-time.ts';
import { rest } from '#web/data/rest.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { rowsWith } from '#web/data/rows.ts';

/** A studio with its prices of today and later. */
export type Studio = {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly features: readonly string[];
  readonly photos: readonly string[];
  readonly rates: Rates;
};

/** Reads all studios. The server limits the rows of one answer and says how many there are, so the rest is read page by page. */
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
const COLUMNS = `id, name, description, features, photos,
  current_price_lists(valid_from, hour_cents, volume_percents), special_days(name, first_day, last_day, hour_cents)`;

type Answer = Omit<Studio, 'rates'> & {
  readonly current_price_lists: readonly Pick<Lists['Row'], 'valid_from' | 'hour_cents' | 'volume_percents'>[];
  readonly special_days: readonly Pick<Days['Row'], 'name' | 'first_day' | 'last_day' | 'hour_cents'>[];
};
type Lists = Database['public']['Views']['current_price_lists'];
type Days = Database['public']['Tables']['special_days'];

const withRates = ({ current_price_lists: lists, special_days: days, ...studio }: Answer): Studio => ({
  ...studio,
  rates: {
    lists: rowsWith(lists, 'valid_from', 'hour_cents', 'volume_percents').map((list) => ({
      validFrom: list.valid_from,
      hourCents: list.hour_cents,
      volumePercents: list.volume_percents,
    })),
    specialDays: days.map((one) => ({
      name: one.name,
      firstDay: one.first_day,
      lastDay: one.last_day,
      hourCents: one.hour_cents,
    })),
  },
});

/** As many rows as the server returns at once by default. */
const PAGE = 1_000;

/** Queries the studios, in their order. */
export function useStudios() {
  return useQuery({ queryKey: queryKeys.studios.of(), queryFn: readStudios, staleTime: 300_000 });
}
