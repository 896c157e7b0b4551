import type Stripe from 'stripe';
import { dollars } from '../../core/page.ts';
import { type FormMap, parseInteger, parseMetadata, onlyKnown, parseText, parseWord } from '../core/form.ts';
import { moveRefund, returnRefund } from './balance.ts';
import { byId, newId, type StripeState } from '../core/ledger.ts';
import { missing, wrongState, StripeRefusal } from '../core/refusal.ts';

const FIELDS = ['payment_intent', 'charge', 'amount', 'reason', 'metadata.*', 'expand.*'];

/** The possible ends of a pending refund. */
export const refundOutcomes = ['succeeded', 'failed', 'canceled'] as const;
export type RefundOutcome = (typeof refundOutcomes)[number];

/** `POST /v1/refunds`: refunds an amount, or the unrefunded rest if no amount is given. Throws for more than the rest. */
export function createRefund(state: StripeState, form: FormMap): Stripe.Refund {
  onlyKnown(form, FIELDS);
  const reason = parseWord(form['reason'], 'reason', ['duplicate', 'fraudulent', 'requested_by_customer']);
  const requested = parseInteger(form['amount'], 'amount', 1);
  const metadata = parseMetadata(form['metadata']);
  const charge = getCharge(state, form);
  const disputed = Object.values(state.ledger.disputes).some(
    (dispute) => dispute.charge === charge.id && dispute.status !== 'won' && !dispute.status.startsWith('warning_'),
  );
  if (disputed)
    throw wrongState(`Charge ${charge.id} has been charged back; cannot issue a refund.`, 'charge_disputed');
  const { next } = state.ledger;
  const override = next.refunds;
  if (override !== null) next.refunds = override.left > 1 ? { ...override, left: override.left - 1 } : null;
  const refund = refundCharge(state, charge, { requested, reason, metadata, pending: override !== null });
  if (override?.status === 'failed') endRefund(state, refund, 'failed');
  return refund;
}

/** Refunds as the dashboard does, without metadata or idempotency key. A null `amount` refunds the rest. */
export function refundOnDashboard(
  state: StripeState,
  session: Stripe.Checkout.Session,
  request: { amount: number | null; pending: boolean },
): Stripe.Refund {
  const charge = Object.values(state.ledger.charges).find(
    (charge) => charge.paid && charge.payment_intent === session.payment_intent,
  );
  if (!charge) throw wrongState('This payment was not successful and cannot be refunded.');
  return refundCharge(state, charge, {
    requested: request.amount,
    reason: null,
    metadata: {},
    pending: request.pending,
  });
}

/** Ends a pending refund. A refund that has succeeded can still fail; the money then returns to the charge. */
export function endRefund(state: StripeState, refund: Stripe.Refund, outcome: RefundOutcome): void {
  const charge = byId(state.ledger.charges, typeof refund.charge === 'string' ? refund.charge : '');
  if (refund.status === 'failed' || refund.status === 'canceled' || refund.status === outcome || !charge) return;
  refund.status = outcome;
  delete refund.pending_reason;
  if (outcome === 'failed') refund.failure_reason = 'expired_or_canceled_card';
  if (outcome !== 'succeeded') {
    charge.amount_refunded -= refund.amount;
    charge.refunded = false;
    returnRefund(state, refund);
  }
  state.changed();
  if (outcome === 'failed') state.emit('refund.failed', refund);
  state.emit('refund.updated', refund);
  state.emit('charge.refund.updated', refund);
}

type RefundDetails = {
  requested: number | null;
  reason: Stripe.Refund.Reason | null;
  metadata: Record<string, string>;
  pending: boolean;
};

function refundCharge(
  state: StripeState,
  charge: Stripe.Charge,
  { requested, reason, metadata, pending }: RefundDetails,
): Stripe.Refund {
  const remaining = charge.amount - charge.amount_refunded;
  if (remaining === 0) throw wrongState(`Charge ${charge.id} has already been refunded.`, 'charge_already_refunded');
  const amount = requested ?? remaining;
  if (amount > remaining)
    throw new StripeRefusal(
      400,
      {
        param: 'amount',
        message: `Refund amount (${dollars(amount)}) is greater than unrefunded amount on charge (${dollars(remaining)})`,
      },
      true,
    );
  const refund = newRefund(state, charge, { amount, reason, metadata, pending });
  const previous = { amount_refunded: charge.amount_refunded, refunded: charge.refunded };
  charge.amount_refunded += amount;
  charge.refunded = charge.amount_refunded === charge.amount;
  state.ledger.refunds[refund.id] = refund;
  moveRefund(state, refund);
  state.emit('refund.created', refund);
  state.emit('charge.refunded', charge, previous);
  return refund;
}

/** Finds the paid charge by its id or by the id of its payment intent. */
function getCharge(state: StripeState, form: FormMap): Stripe.Charge {
  const intentId = parseText(form['payment_intent']);
  const chargeId = parseText(form['charge']);
  if (intentId === null && chargeId === null)
    throw new StripeRefusal(400, {
      code: 'parameter_missing',
      message: 'One of the following params should be provided for this request: payment_intent or charge.',
    });
  if (chargeId !== null) {
    const charge = byId(state.ledger.charges, chargeId);
    if (!charge || (intentId !== null && charge.payment_intent !== intentId))
      throw missing('charge', chargeId, 'charge');
    if (!charge.paid) throw wrongState(`Charge ${chargeId} was not successful and cannot be refunded.`);
    return charge;
  }
  const intent = byId(state.ledger.intents, intentId ?? '');
  if (!intent) throw missing('payment_intent', intentId ?? '', 'payment_intent');
  const charge = Object.values(state.ledger.charges).find(
    (charge) => charge.payment_intent === intent.id && charge.paid,
  );
  if (!charge) throw wrongState(`This PaymentIntent (${intent.id}) does not have a successful charge to refund.`);
  return charge;
}

/** Creates a refund with every documented key. */
export function newRefund(
  state: StripeState,
  charge: Stripe.Charge,
  { amount, reason, metadata, pending }: Omit<RefundDetails, 'requested'> & { readonly amount: number },
): Stripe.Refund {
  return {
    id: newId('re'),
    object: 'refund',
    amount,
    balance_transaction: newId('txn'),
    charge: charge.id,
    created: state.stamp(),
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
    ...(pending ? { pending_reason: 'processing' as const } : {}),
    status: pending ? 'pending' : 'succeeded',
    transfer_reversal: null,
  };
}
