import type Stripe from 'stripe';
import type { Dispute, Payments, Refund } from '../ports.ts';
import { parseChoice } from './client.ts';
import { disputeReply, listReply, read, refundReply } from './replies.ts';

/** Refunds a part of a payment, or the whole remainder. Without an amount a repeated call is identical, whatever was refunded since. */
export async function createRefund(
  stripe: Stripe,
  { key, paymentIntentId, amountCents }: Parameters<Payments['refund']>[0],
): Promise<Refund> {
  const refund = await stripe.refunds.create(
    {
      payment_intent: paymentIntentId,
      ...(amountCents === undefined ? {} : { amount: amountCents }),
      reason: 'requested_by_customer',
      metadata: { key },
    },
    { idempotencyKey: key },
  );
  return toRefund(refund);
}

export async function listRefunds(stripe: Stripe, paymentIntentId: string): Promise<Refund[]> {
  const found = await stripe.refunds.list({ payment_intent: paymentIntentId, limit: 100 });
  return read(listReply, found).data.map(toRefund);
}

export async function listDisputes(stripe: Stripe, paymentIntentId: string): Promise<Dispute[]> {
  const found = await stripe.disputes.list({ payment_intent: paymentIntentId, limit: 100 });
  return read(listReply, found).data.map(toDispute);
}

function toRefund(reply: unknown): Refund {
  const refund = read(refundReply, reply);
  const key = refund.metadata?.['key'];
  return {
    id: refund.id,
    status: parseChoice(['pending', 'succeeded', 'failed', 'requires_action', 'canceled'], refund.status ?? 'pending'),
    amountCents: refund.amount,
    key: key?.startsWith('refund:') ? key : null,
  };
}

/** Reads a dispute. Inquiries (`warning_…`) count too: staff must answer them, although no money has moved. */
function toDispute(reply: unknown): Dispute {
  const dispute = read(disputeReply, reply);
  const status = ['won', 'warning_closed', 'prevented'].includes(dispute.status)
    ? 'won'
    : dispute.status === 'lost'
      ? 'lost'
      : 'open';
  const due = dispute.evidence_details?.due_by ?? null;
  return {
    id: dispute.id,
    status,
    createdAt: new Date(dispute.created * 1000),
    providerStatus: dispute.status,
    needsResponse: dispute.status === 'needs_response' || dispute.status === 'warning_needs_response',
    reason: dispute.reason || null,
    amountCents: dispute.amount,
    dueAt: due === null ? null : new Date(due * 1000),
  };
}
