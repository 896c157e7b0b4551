import { staffSetPrices as contract } from '#contracts/settings/staff-set-prices.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { setPriceList, setSpecialDays } from '#server/operations/prices/set-prices.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const staffSetPrices = defineHandler(
  contract,
  async ({ booking }: { booking: BookingContext }, { caller, body }) => {
    if ('firstDay' in body) await setSpecialDays(booking, body, actorOf(caller));
    else await setPriceList(booking, body, actorOf(caller));
    return body;
  },
);
