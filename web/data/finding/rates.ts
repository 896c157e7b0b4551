import type { Database } from '#database/types.ts';
import type { Rates } from '#rules/pricing.ts';
import { rowsWith } from '../rows.ts';

/** The columns of a studio that hold its prices, as a query of `studios` selects them. */
export const RATE_COLUMNS =
  'current_price_lists(valid_from, hour_cents, volume_percents), special_days(name, first_day, last_day, hour_cents)' as const;

/** A row of the answer to a query for `RATE_COLUMNS`. */
export type RateRows = {
  readonly current_price_lists: readonly Pick<Lists['Row'], 'valid_from' | 'hour_cents' | 'volume_percents'>[];
  readonly special_days: readonly Pick<Days['Row'], 'name' | 'first_day' | 'last_day' | 'hour_cents'>[];
};
type Lists = Database['public']['Views']['current_price_lists'];
type Days = Database['public']['Tables']['special_days'];

/** Converts the row of a studio to its prices as the rules expect them. */
export const toRates = ({ current_price_lists: lists, special_days: days }: RateRows): Rates => ({
  lists: rowsWith(lists, 'valid_from', 'hour_cents', 'volume_percents').map((list) => ({
    validFrom: list.valid_from,
    hourCents: list.hour_cents,
    volumePercents: list.volume_percents,
  })),
  specialDays: days.map((day) => ({
    name: day.name,
    firstDay: day.first_day,
    lastDay: day.last_day,
    hourCents: day.hour_cents,
  })),
});
