import { staffSetPrices as contract } from '#contracts/settings/staff-set-prices.ts';
import { setPriceList, setSpecialDays } from '#server/operations/settings/set-prices.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const staffSetPrices = defineHandler(contract, async (services, { caller, body }) => {
  if ('firstDay' in body) await setSpecialDays(services, body, getActor(caller));
  else await setPriceList(services, body, getActor(caller));
  return body;
});
