import type { Refund } from '#server/providers/ports.ts';
import type { PaymentFacts } from '../booking-rows.ts';
import { failpoint } from '../failpoint.ts';
import type { JobOutcome } from '../outbox.ts';
import { type PaymentContext, takenCents } from './context.ts';
import { recordRefunds } from './record-refunds.ts';

/** A refund under way is looked at again after so long, where no webhook tells of it. */
const LOOK_AGAIN_MS = 3_600_000;
/** The provider refuses refunds while the bank decides about the same money. */
const DISPUTED_AGAIN_MS = 6 * 3_600_000;

/**
 * Gives back what is owed of a payment and follows it until the provider says that it arrived. Runs as a job: `done` when nothing is left to
 * do, or when it failed and a later job of its own is queued. Throws `ProviderError`; repeating it never pays twice.
 */
export async function refundPayment(context: PaymentContext, paymentId: string): Promise<JobOutcome> {
  const { db, payments, clock } = context;
  const payment = await readOwed(context, paymentId);
  if (!payment) return 'done';
  const intent = payment.paymentIntentId;
  if (payment.kind === 'free' || intent === null) throw new Error(`payment ${paymentId} has nothing to refund`);
  const later = (ms: number): JobOutcome => ({ retryAt: new Date(clock().getTime() + ms) });
  if (payment.disputeStatus === 'open') return later(DISPUTED_AGAIN_MS);
  // The provider forgets a key after a day, and people refund on its dashboard: always look before paying.
  const refunds = [...(await payments.listRefunds(intent))];
  if (coveredCents(refunds) < takenCents(payment))
    refunds.push(await payments.refund({ key: refundKey(payment), paymentIntentId: intent }));
  failpoint('refund.after.call');
  const state = await db.transaction((tx) =>
    recordRefunds(context, tx, { bookingId: payment.bookingId, paymentId: payment.id, refunds }),
  );
  return state === 'refund_pending' ? later(LOOK_AGAIN_MS) : 'done';
}

/** The payment that is owed; one whose refund failed is owed again. Null when nothing is. */
async function readOwed({ db }: PaymentContext, paymentId: string): Promise<PaymentFacts | null> {
  const again = await db.one<{ facts: PaymentFacts }>(
    `update private.payment x set state = 'refund_pending' where x.id = $1::uuid and x.state in ('refund_pending', 'refund_failed')
     returning private.payment_facts(x) as facts`,
    [paymentId],
  );
  return again?.facts ?? null;
}

const coveredCents = (refunds: readonly Refund[]): number =>
  refunds
    .filter((one) => one.status !== 'failed' && one.status !== 'canceled')
    .reduce((sum, one) => sum + one.amountCents, 0);

/** One key per try: the provider answers a key it knows with the refund that failed. */
const refundKey = (payment: PaymentFacts): string =>
  payment.refundFailures === 0 ? `refund:${payment.id}` : `refund:${payment.id}:${payment.refundFailures}`;
