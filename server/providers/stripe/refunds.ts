import type Stripe from 'stripe';
import type { Dispute, Refund } from '../ports.ts';
import { oneOf } from './client.ts';

/** Refunds all that is left of a payment. Without an amount a repeated call is identical, whatever was refunded meanwhile. */
export async function createRefund(
  stripe: Stripe,
  { key, paymentIntentId }: { readonly key: string; readonly paymentIntentId: string },
): Promise<Refund> {
  const refund = await stripe.refunds.create(
    { payment_intent: paymentIntentId, reason: 'requested_by_customer', metadata: { key } },
    { idempotencyKey: key },
  );
  return toRefund(refund);
}

export async function listRefunds(stripe: Stripe, paymentIntentId: string): Promise<Refund[]> {
  const { data } = await stripe.refunds.list({ payment_intent: paymentIntentId, limit: 100 });
  return data.map(toRefund);
}

export async function listDisputes(stripe: Stripe, paymentIntentId: string): Promise<Dispute[]> {
  const { data } = await stripe.disputes.list({ payment_intent: paymentIntentId, limit: 100 });
  return data.map(toDispute);
}

function toRefund(refund: Stripe.Refund): Refund {
  return {
    id: refund.id,
    status: oneOf(['pending', 'succeeded', 'failed', 'requires_action', 'canceled'], refund.status ?? 'pending'),
    amountCents: refund.amount,
    ours: refund.metadata?.['key']?.startsWith('refund:') === true,
  };
}

/** Reads a dispute. Inquiries (`warning_…`) count too: staff must answer them, although no money has moved. */
function toDispute(dispute: Stripe.Dispute): Dispute {
  const status = ['won', 'warning_closed', 'prevented'].includes(dispute.status)
    ? 'won'
    : dispute.status === 'lost'
      ? 'lost'
      : 'open';
  return { id: dispute.id, status, createdAt: new Date(dispute.created * 1000) };
}
