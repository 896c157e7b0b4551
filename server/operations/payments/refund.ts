import type { Refund } from '#server/providers/ports.ts';
import type { PaymentFacts } from '../core/booking-rows.ts';
import { failpoint } from '../core/failpoint.ts';
import type { JobOutcome } from '../core/jobs.ts';
import { isHeldForUndo, UNDO_RETRY_MS } from '../core/undo-hold.ts';
import type { PaymentContext } from './context.ts';
import { takenCents } from './payment-rows.ts';
import { recordRefunds } from './record-refunds.ts';
import { refundsOf } from './shares.ts';

/** How soon a pending refund is checked again when no webhook arrives. */
export const PENDING_RETRY_MS = 3_600_000;
/** How soon a refund is tried again during a dispute: until the bank decides, the provider refuses it. */
export const DISPUTED_RETRY_MS = 6 * 3_600_000;

/**
 * Refunds a payment and follows the refund until it succeeds. Runs as a job: `done` when nothing is left to do, or when the refund
 * failed and a later job is queued. Throws `ProviderError`; repeating it never refunds twice.
 */
export async function refundPayment(context: PaymentContext, paymentId: string): Promise<JobOutcome> {
  const { db, payments, clock } = context;
  const payment = await readPaymentToRefund(context, paymentId);
  if (!payment) return 'done';
  const intent = payment.paymentIntentId;
  if (payment.kind !== 'card' || intent === null) throw new Error(`payment ${paymentId} has nothing to refund`);
  const retryIn = (ms: number): JobOutcome => ({ retryAt: new Date(clock().getTime() + ms) });
  if (payment.disputeStatus === 'open') return retryIn(DISPUTED_RETRY_MS);
  if (await isHeldForUndo(db, payment.bookingId, clock())) return retryIn(UNDO_RETRY_MS);
  // The provider forgets a key after a day, and people refund on its dashboard: always look first.
  const refunds = await listOwnRefunds(context, payment, intent);
  const leftCents = takenCents(payment) - coveredCents(refunds);
  if (leftCents > 0)
    refunds.push(
      await payments.refund({
        key: refundKey(payment),
        paymentIntentId: intent,
        // What is left of the session would include the other bookings of the order.
        ...(payment.shareOf !== null && { amountCents: leftCents }),
      }),
    );
  failpoint('refund.after.call');
  const state = await db.transaction((tx) =>
    recordRefunds(context, tx, { bookingId: payment.bookingId, paymentId: payment.id, refunds }),
  );
  return state === 'refund_pending' ? retryIn(PENDING_RETRY_MS) : 'done';
}

/** Lists the refunds of a payment at the provider; of an order, its part of them. */
export async function listOwnRefunds(
  { db, payments }: PaymentContext,
  payment: PaymentFacts,
  intent: string,
): Promise<Refund[]> {
  const refunds = await payments.listRefunds(intent);
  if (payment.shareOf === null || refunds.length === 0) return [...refunds];
  return [...(await db.transaction((tx) => refundsOf(tx, payment, refunds)))];
}

/** Reads the payment if a refund is due; a failed refund becomes due again. Null when none is. */
async function readPaymentToRefund({ db }: PaymentContext, paymentId: string): Promise<PaymentFacts | null> {
  const row = await db.one<{ facts: PaymentFacts }>(
    `update private.payment x set state = 'refund_pending' where x.id = $1::uuid and x.state in ('refund_pending', 'refund_failed')
     returning private.payment_json(x) as facts`,
    [paymentId],
  );
  return row?.facts ?? null;
}

/** What has gone back, or is on its way. */
export const coveredCents = (refunds: readonly Refund[]): number =>
  refunds
    .filter((one) => one.status !== 'failed' && one.status !== 'canceled')
    .reduce((sum, one) => sum + one.amountCents, 0);

/** One key for each try: to a known key the provider would answer with the failed refund. */
const refundKey = (payment: PaymentFacts): string =>
  payment.refundFailures === 0 ? `refund:${payment.id}` : `refund:${payment.id}:${payment.refundFailures}`;
