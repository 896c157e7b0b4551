import { savedCards as contract } from '#contracts/account/saved-cards.ts';
import { listSavedCards } from '#server/operations/customers/provider-customer.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';

export const savedCards = defineHandler(contract, async (services, { caller }) => {
  const cards = await listSavedCards(services, signedIn(caller).userId);
  return {
    cards: cards.map(({ id, brand, last4, expiryMonth, expiryYear }) => ({
      id,
      brand,
      last4,
      expiryMonth,
      expiryYear,
    })),
  };
});
