import { savedCards as contract } from '#contracts/account/saved-cards.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { listSavedCards } from '#server/operations/customers/provider-customer.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';

type Context = { booking: BookingContext };

export const savedCards = defineHandler(contract, async ({ booking }: Context, { caller }) => {
  const cards = await listSavedCards(booking, signedIn(caller).userId);
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
