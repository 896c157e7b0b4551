import { byId, type StripeState } from '../core/ledger.ts';
import { moveCharge, moveRefund } from './balance.ts';
import { newCharge, newIntent } from './payment-objects.ts';
import { newRefund } from './refunds.ts';

/** A past payment and its full refund, if any. Amounts are in cents, times in Unix seconds. */
export type PastPayment = {
  readonly id: string;
  readonly amount: number;
  readonly created: number;
  readonly refund: { readonly id: string; readonly created: number } | null;
};

/** Adds a payment as if it had been made in the past, without sending events. Idempotent. */
export function addPast(state: StripeState, { id, amount, created, refund }: PastPayment): void {
  const { ledger } = state;
  if (byId(ledger.intents, id)) return;
  const at = (seconds: number): StripeState => ({ ...state, stamp: () => seconds });
  const details = { metadata: {}, description: null, receiptEmail: null };
  const intent = { ...newIntent(at(created), { session: { amount_total: amount }, intent: details }), id };
  const charge = newCharge(at(created), intent);
  ledger.intents[id] = { ...intent, status: 'succeeded', amount_received: amount, latest_charge: charge.id };
  ledger.charges[charge.id] = charge;
  moveCharge(at(created), charge);
  if (refund === null) return;
  const then = at(refund.created);
  const createdRefund = newRefund(then, charge, {
    amount,
    reason: 'requested_by_customer',
    metadata: {},
    pending: false,
  });
  ledger.refunds[refund.id] = { ...createdRefund, id: refund.id };
  Object.assign(charge, { amount_refunded: amount, refunded: true });
  moveRefund(then, { ...createdRefund, id: refund.id });
}
