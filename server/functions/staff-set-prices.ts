import { priceListChangeSchema, specialDaysChangeSchema } from '#rules/price-list.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { setPriceList, setSpecialDays } from '#server/operations/prices/set-prices.ts';
import { actorOf, parse } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'staff-set-prices', max: 60, seconds: 60 };

/**
 * Sets the prices of one studio or, with `studioId: null`, of all: `{studioId, validFrom, prices: {hourCents, volumePercents}}` from a day on,
 * or `{studioId, firstDay, lastDay, prices: {name, hourCents}}` for special days. `prices: null` removes them. Answers with the change.
 */
export function staffSetPrices({ booking }: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'settings',
    limit: LIMIT,
    async handle({ caller, body }) {
      if (body !== null && typeof body === 'object' && 'firstDay' in body) {
        const change = parse(specialDaysChangeSchema, body);
        await setSpecialDays(booking, change, actorOf(caller));
        return json(change);
      }
      const change = parse(priceListChangeSchema, body);
      await setPriceList(booking, change, actorOf(caller));
      return json(change);
    },
  };
}
