import { removeCard as contract } from '#contracts/account/remove-card.ts';
import { removeSavedCard } from '#server/operations/customers/provider-customer.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';

export const removeCard = defineHandler(contract, async (services, { caller, body }) => {
  await removeSavedCard(services, signedIn(caller).userId, body.cardId);
  return { removed: true as const };
});
