import Stripe from 'stripe';
import type { SavedCard } from '../ports.ts';
import { cardsReply, customerReply, read } from './replies.ts';

/** Maximum number of saved cards that are shown. */
const CARDS_MAX = 20;

/** Creates a customer, identified only by the account number (docs.stripe.com/api/customers). */
export async function createCustomer(
  stripe: Stripe,
  { key, userId }: { key: string; userId: string },
): Promise<string> {
  const created = await stripe.customers.create({ metadata: { user_id: userId } }, { idempotencyKey: key });
  return read(customerReply, created).id;
}

export async function setCustomerEmail(stripe: Stripe, customerId: string, email: string): Promise<void> {
  read(customerReply, await stripe.customers.update(customerId, { email }));
}

/** Deletes a customer with the saved cards. Idempotent: succeeds if the customer is already deleted or never existed. */
export async function deleteCustomer(stripe: Stripe, customerId: string): Promise<void> {
  try {
    read(customerReply, await stripe.customers.del(customerId));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Lists the cards whose customer agreed to see them again. A customer who was deleted at Stripe has none. */
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

/** Detaches a card of this customer. Returns false if the customer has no such card. */
export async function removeCard(stripe: Stripe, customerId: string, cardId: string): Promise<boolean> {
  try {
    // Stripe detaches a card by its id alone, so its owner is checked first.
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
