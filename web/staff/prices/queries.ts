import type { PriceListChange, SpecialDaysChange } from '#rules/price-list.ts';
import type { Rates } from '#rules/pricing.ts';
import { callFunction } from '#web/data/fetch-client.ts';
import { rest } from '#web/data/rest.ts';

/** The highest number of price lists and of special days that are shown for a studio, newest first. */
const SHOWN = 100;

/** Reads the prices of a studio with their history, newest first. */
export async function readPrices(studioId: string): Promise<Rates> {
  const [lists, days] = await Promise.all([
    rest
      .from('price_lists')
      .select('validFrom:valid_from,hourCents:hour_cents,volumePercents:volume_percents')
      .eq('studio_id', studioId)
      .order('valid_from', { ascending: false })
      .limit(SHOWN),
    rest
      .from('special_days')
      .select('name,firstDay:first_day,lastDay:last_day,hourCents:hour_cents')
      .eq('studio_id', studioId)
      .order('first_day', { ascending: false })
      .limit(SHOWN),
  ]);
  if (lists.error) throw lists.error;
  if (days.error) throw days.error;
  return { lists: lists.data, specialDays: days.data };
}

/** Sets or removes prices. Throws `AppError`. */
export function setPrices(change: PriceListChange | SpecialDaysChange): Promise<unknown> {
  return callFunction('staff-set-prices', change);
}
