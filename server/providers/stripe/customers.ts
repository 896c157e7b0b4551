import Stripe from 'stripe';
import type { SavedCard } from '../ports.ts';
import { cardsReply, customerReply, read } from './replies.ts';

/** How many saved cards are shown. */
const CARDS_MAX = 20;

/** Creates a customer known by our account number only (docs.stripe.com/api/customers). */
export async function createCustomer(
  stripe: Stripe,
  { key, userId }: { key: string; userId: string },
): Promise<string> {
  const made = await stripe.customers.create({ metadata: { user_id: userId } }, { idempotencyKey: key });
  return read(customerReply, made).id;
}

export async function setCustomerEmail(stripe: Stripe, customerId: string, email: string): Promise<void> {
  read(customerReply, await stripe.customers.update(customerId, { email }));
}

/** Deletes a customer with the saved cards. One that is deleted already, or was never there, is as good. */
export async function deleteCustomer(stripe: Stripe, customerId: string): Promise<void> {
  try {
    read(customerReply, await stripe.customers.del(customerId));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Lists the cards whose customer agreed to see them again; none of a customer who was deleted at Stripe. */
export async function listCards(stripe: Stripe, customerId: string): Promise<SavedCard[]> {
  try {
    const found = await stripe.customers.listPaymentMethods(customerId, {
      type: 'card',
      allow_redisplay: 'always',
      limit: CARDS_MAX,
    });
    return read(cardsReply, found).data.flatMap(({ id, card }) =>
      card === undefined
        ? []
        : [{ id, brand: card.brand, last4: card.last4, expiryMonth: card.exp_month, expiryYear: card.exp_year }],
    );
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Detaches a card of this customer. Returns false when the customer has no such card. */
export async function removeCard(stripe: Stripe, customerId: string, cardId: string): Promise<boolean> {
  try {
    // Stripe detaches by the card's id alone: ask first whose it is.
    read(customerReply, await stripe.customers.retrievePaymentMethod(customerId, cardId));
    read(customerReply, await stripe.paymentMethods.detach(cardId));
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing';
