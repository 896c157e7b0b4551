import { z } from 'zod';
import { cardField } from '#contracts/core/fields.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { listSavedCards, removeSavedCard } from '#server/operations/customers/provider-customer.ts';
import type { SavedCard } from '#server/providers/ports.ts';
import { parse, signedIn } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIST_LIMIT = { name: 'saved-cards', max: 30, seconds: 60 };
const REMOVE_LIMIT = { name: 'remove-card', max: 10, seconds: 60 };
const removeSchema = z.object({ cardId: cardField });

/** Lists the cards that the account has saved at the payment provider, the newest first: `{cards: [{id, brand, last4, expiryMonth, expiryYear}]}`. */
export function savedCards({ booking }: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'signed-in',
    limit: LIST_LIMIT,
    async handle({ caller }) {
      const cards = await listSavedCards(booking, signedIn(caller).userId);
      return json({ cards: cards.map(cardOf) });
    },
  };
}

const cardOf = ({ id, brand, last4, expiryMonth, expiryYear }: SavedCard) => ({
  id,
  brand,
  last4,
  expiryMonth,
  expiryYear,
});

/** Removes a saved card of the account: `{removed}`. 404 when it is not there any more. */
export function removeCard({ booking }: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'signed-in',
    limit: REMOVE_LIMIT,
    async handle({ caller, body }) {
      await removeSavedCard(booking, signedIn(caller).userId, parse(removeSchema, body).cardId);
      return json({ removed: true });
    },
  };
}
