import { staffSetPrices as contract } from '#contracts/settings/staff-set-prices.ts';
import { setPriceList, setSpecialDays } from '#server/operations/settings/set-prices.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const staffSetPrices = defineHandler(contract, async (services, { caller, body }) => {
  if ('firstDay' in body) await setSpecialDays(services, body, actorOf(caller));
  else await setPriceList(services, body, actorOf(caller));
  return body;
});
