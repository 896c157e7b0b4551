import type Stripe from 'stripe';
import { dollars } from '../../core/page.ts';
import { type FormMap, integerOf, metadataOf, onlyKnown, textOf, wordOf } from '../form.ts';
import { byId, newId, type StripeWorld } from '../ledger.ts';
import { missing, notNow, StripeRefusal } from '../refusal.ts';

const FIELDS = ['payment_intent', 'charge', 'amount', 'reason', 'metadata.*', 'expand.*'];

/** `POST /v1/refunds`: all that is left when no amount is given; never more than is left. */
export function createRefund(world: StripeWorld, form: FormMap): Stripe.Refund {
  onlyKnown(form, FIELDS);
  const reason = wordOf(form['reason'], 'reason', ['duplicate', 'fraudulent', 'requested_by_customer']);
  const wanted = integerOf(form['amount'], 'amount', 1);
  const metadata = metadataOf(form['metadata']);
  const charge = chargeOf(world, form);
  const left = charge.amount - charge.amount_refunded;
  if (left === 0) throw notNow(`Charge ${charge.id} has already been refunded.`, 'charge_already_refunded');
  const amount = wanted ?? left;
  if (amount > left)
    throw new StripeRefusal(
      400,
      {
        param: 'amount',
        message: `Refund amount (${dollars(amount)}) is greater than unrefunded amount on charge (${dollars(left)})`,
      },
      true,
    );
  const refund: Stripe.Refund = {
    id: newId('re'),
    object: 'refund',
    amount,
    balance_transaction: newId('txn'),
    charge: charge.id,
    created: world.stamp(),
    currency: charge.currency,
    customer: null,
    customer_account: null,
    destination_details: {
      card: { reference_status: 'pending', reference_type: 'acquirer_reference_number', type: 'refund' },
      type: 'card',
    },
    metadata,
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason,
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
  };
  const previous = { amount_refunded: charge.amount_refunded, refunded: charge.refunded };
  charge.amount_refunded += amount;
  charge.refunded = charge.amount_refunded === charge.amount;
  world.ledger.refunds[refund.id] = refund;
  world.emit('refund.created', refund);
  world.emit('charge.refunded', charge, previous);
  return refund;
}

/** The charge that was paid, by its own id or its payment intent's. */
function chargeOf(world: StripeWorld, form: FormMap): Stripe.Charge {
  const intentId = textOf(form['payment_intent']);
  const chargeId = textOf(form['charge']);
  if (intentId === null && chargeId === null)
    throw new StripeRefusal(400, {
      code: 'parameter_missing',
      message: 'One of the following params should be provided for this request: payment_intent or charge.',
    });
  if (chargeId !== null) {
    const charge = byId(world.ledger.charges, chargeId);
    if (!charge || (intentId !== null && charge.payment_intent !== intentId))
      throw missing('charge', chargeId, 'charge');
    if (!charge.paid) throw notNow(`Charge ${chargeId} was not successful and cannot be refunded.`);
    return charge;
  }
  const intent = byId(world.ledger.intents, intentId ?? '');
  if (!intent) throw missing('payment_intent', intentId ?? '', 'payment_intent');
  const charge = Object.values(world.ledger.charges).find((one) => one.payment_intent === intent.id && one.paid);
  if (!charge) throw notNow(`This PaymentIntent (${intent.id}) does not have a successful charge to refund.`);
  return charge;
}
