import type Stripe from 'stripe';
import { newId, type StripeState } from '../core/ledger.ts';

/** The fee of a domestic card: 1.7 % and 30 cents. */
const FEE = { rate: 0.017, fixed: 30 };
/** The fee of a dispute in cents, whether it is won or lost. */
const DISPUTE_FEE = 2_500;
/** Seconds after which money can be paid out: two days. */
const AVAILABLE_S = 2 * 86_400;
/** Seconds until a payout arrives at the bank: one day. */
const ARRIVES_S = 86_400;

type Moved = {
  /** The default is a new id. */
  readonly id?: string | null;
  readonly type: Stripe.BalanceTransaction['type'];
  readonly category: string;
  readonly source: string;
  /** The amount in cents, which is negative for money that leaves the balance. */
  readonly amount: number;
  readonly currency: string;
  readonly fee?: number;
  readonly description?: string | null;
};

/** Adds an entry to the balance, with every documented key. */
function moveMoney(state: StripeState, moved: Moved): Stripe.BalanceTransaction {
  const { id, type, category, source, amount, currency, fee = 0, description = null } = moved;
  const created = state.stamp();
  const transaction: Stripe.BalanceTransaction = {
    id: id ?? newId('txn'),
    object: 'balance_transaction',
    amount,
    available_on: created + AVAILABLE_S,
    balance_type: 'payments',
    created,
    currency,
    description,
    exchange_rate: null,
    fee,
    fee_details:
      fee === 0
        ? []
        : [{ amount: fee, application: null, currency, description: 'Stripe processing fees', type: 'stripe_fee' }],
    net: amount - fee,
    reporting_category: category,
    source,
    status: 'pending',
    type,
  };
  state.ledger.balance[transaction.id] = transaction;
  state.changed();
  return transaction;
}

/** Adds the entry of a successful charge, under the id that the charge names. */
export function moveCharge(state: StripeState, charge: Stripe.Charge): void {
  moveMoney(state, {
    id: getId(charge.balance_transaction),
    type: 'charge',
    category: 'charge',
    source: charge.id,
    amount: charge.amount,
    currency: charge.currency,
    fee: Math.round(charge.amount * FEE.rate) + FEE.fixed,
    description: charge.description,
  });
}

/** Adds the entry of a refund. The fee of the charge is not returned. */
export function moveRefund(state: StripeState, refund: Stripe.Refund): void {
  const { amount, currency } = refund;
  moveMoney(state, {
    id: getId(refund.balance_transaction),
    type: 'refund',
    category: 'refund',
    source: refund.id,
    amount: -amount,
    currency,
    description: 'REFUND FOR CHARGE',
  });
}

/** Adds the entry of a refund that failed or was canceled, which returns the money to the balance. */
export function returnRefund(state: StripeState, refund: Stripe.Refund): void {
  const { amount, currency } = refund;
  const back = moveMoney(state, {
    type: 'refund_failure',
    category: 'refund_failure',
    source: refund.id,
    amount,
    currency,
    description: 'REFUND FAILURE',
  });
  refund.failure_balance_transaction = back.id;
}

/** Adds the entry of a new dispute, because the customer's bank takes the money immediately. */
export function moveDisputed(state: StripeState, dispute: Stripe.Dispute): void {
  const { id: source, amount, currency } = dispute;
  const taken = {
    type: 'adjustment',
    category: 'dispute',
    source,
    amount: -amount,
    currency,
    fee: DISPUTE_FEE,
  } as const;
  dispute.balance_transactions.push(moveMoney(state, taken));
}

/** Adds the entry of a dispute that is won. */
export function returnDisputed(state: StripeState, dispute: Stripe.Dispute): void {
  const { id: source, amount, currency } = dispute;
  const back = { type: 'adjustment', category: 'dispute_reversal', source, amount, currency } as const;
  dispute.balance_transactions.push(moveMoney(state, back));
}

/** Pays out the money that has been in the balance for two days of sandbox time, like an account with daily payouts. */
export function payOut(state: StripeState): void {
  const due = Object.values(state.ledger.balance).filter(
    ({ status, available_on }) => status === 'pending' && available_on <= state.seconds(),
  );
  const amount = due.reduce((sum, { net }) => sum + net, 0);
  if (amount <= 0) return;
  for (const transaction of due) transaction.status = 'available';
  const created = state.stamp();
  const currency = due[0]?.currency ?? 'aud';
  const id = newId('po');
  const paid = moveMoney(state, {
    type: 'payout',
    category: 'payout',
    source: id,
    amount: -amount,
    currency,
    description: 'STRIPE PAYOUT',
  });
  paid.status = 'available';
  state.ledger.payouts[id] = {
    id,
    object: 'payout',
    amount,
    application_fee: null,
    application_fee_amount: null,
    arrival_date: created + ARRIVES_S,
    automatic: true,
    balance_transaction: paid.id,
    created,
    currency,
    description: 'STRIPE PAYOUT',
    destination: null,
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    livemode: false,
    metadata: {},
    method: 'standard',
    original_payout: null,
    payout_method: null,
    reconciliation_status: 'completed',
    reversed_by: null,
    source_type: 'card',
    statement_descriptor: null,
    status: 'paid',
    trace_id: null,
    type: 'bank_account',
  };
}

const getId = (reference: string | Stripe.BalanceTransaction | null | undefined): string | null =>
  typeof reference === 'string' ? reference : (reference?.id ?? null);
