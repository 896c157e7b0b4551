import type Stripe from 'stripe';
import { newId, type StripeState } from '../core/ledger.ts';
import { moveDisputed, returnDisputed } from './balance.ts';
import { wrongState } from '../core/refusal.ts';

/** The decisions that the customer's bank can make. */
export const disputeOutcomes = ['under_review', 'won', 'lost'] as const;
export type DisputeOutcome = (typeof disputeOutcomes)[number];

/** Reasons for which a customer disputes a payment (docs.stripe.com/api/disputes/object#dispute_object-reason). */
export const disputeReasons = [
  'fraudulent',
  'product_not_received',
  'duplicate',
  'subscription_canceled',
  'product_unacceptable',
  'credit_not_processed',
  'unrecognized',
  'general',
] as const;
export type DisputeReason = (typeof disputeReasons)[number];

const ANSWER_DAYS = 20;

/** Opens a dispute of a paid session. */
export function openDispute(
  state: StripeState,
  session: Stripe.Checkout.Session,
  reason: DisputeReason = 'fraudulent',
): Stripe.Dispute {
  const charge = Object.values(state.ledger.charges).find(
    (charge) => charge.paid && charge.payment_intent === session.payment_intent,
  );
  if (!charge) throw wrongState('Only a payment that succeeded can be disputed.');
  const open = Object.values(state.ledger.disputes).some(
    (dispute) => dispute.charge === charge.id && dispute.status !== 'won' && dispute.status !== 'lost',
  );
  if (open) throw wrongState('This payment is disputed already.');
  const dispute: Stripe.Dispute = {
    id: newId('du'),
    object: 'dispute',
    amount: charge.amount,
    balance_transactions: [],
    charge: charge.id,
    created: state.stamp(),
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: NO_EVIDENCE,
    evidence_details: {
      due_by: state.stamp() + ANSWER_DAYS * 86_400,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'manual',
    },
    intended_submission_method: null,
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    payment_intent: charge.payment_intent,
    reason,
    status: 'needs_response',
  };
  charge.disputed = true;
  state.ledger.disputes[dispute.id] = dispute;
  moveDisputed(state, dispute);
  state.emit('charge.dispute.created', dispute);
  return dispute;
}

/** Changes the status of an open dispute. */
export function moveDispute(state: StripeState, dispute: Stripe.Dispute, outcome: DisputeOutcome): void {
  if (dispute.status === 'won' || dispute.status === 'lost') return;
  dispute.status = outcome;
  if (outcome === 'won') returnDisputed(state, dispute);
  state.changed();
  state.emit(outcome === 'under_review' ? 'charge.dispute.updated' : 'charge.dispute.closed', dispute);
}

const NO_EVIDENCE: Stripe.Dispute.Evidence = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  enhanced_evidence: {},
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
};
