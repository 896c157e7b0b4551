import { removeCard as contract } from '#contracts/account/remove-card.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { removeSavedCard } from '#server/operations/customers/provider-customer.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';

type Context = { booking: BookingContext };

export const removeCard = defineHandler(contract, async ({ booking }: Context, { caller, body }) => {
  await removeSavedCard(booking, signedIn(caller).userId, body.cardId);
  return { removed: true as const };
});
