import { formatMoney } from '#rules/money.ts';
import { lockBooking, type PaymentFacts } from '../core/booking-rows.ts';
import { failpoint } from '../core/failpoint.ts';
import type { JobOutcome } from '../core/jobs.ts';
import { isHeldForUndo, UNDO_RETRY_MS } from '../core/undo-hold.ts';
import type { PaymentContext } from './context.ts';
import { type PartialRefund, partialRefundKey, readPartialRefund } from './partial-refunds.ts';
import { auditPayment, isPaid, lockPayment, takenCents } from './payment-rows.ts';
import { recordRefunds } from './record-refunds.ts';
import { coveredCents, DISPUTED_RETRY_MS, listOwnRefunds, PENDING_RETRY_MS } from './refund.ts';

/**
 * Makes a partial refund that staff decided on and follows it until it arrives. Runs as a job: `done` when nothing is left to do, or when
 * it failed and a later job is queued. Throws `ProviderError`; repeating it never refunds twice.
 */
export async function makePartialRefund(context: PaymentContext, id: string): Promise<JobOutcome> {
  const { db, payments, clock } = context;
  const due = await readDue(context, id);
  if (due === null) return 'done';
  const { part, payment } = due;
  // Fails until staff close the job, so that a person is told and the money is not forgotten.
  if (payment.kind === 'elsewhere')
    throw new Error(
      `This was paid elsewhere. Give ${formatMoney(part.amountCents)} back by hand, then close this job and say how.`,
    );
  const retryIn = (ms: number): JobOutcome => ({ retryAt: new Date(clock().getTime() + ms) });
  if (payment.disputeStatus === 'open') return retryIn(DISPUTED_RETRY_MS);
  if (await isHeldForUndo(db, payment.bookingId, clock())) return retryIn(UNDO_RETRY_MS);
  const intent = payment.paymentIntentId;
  if (intent === null) throw new Error(`payment ${payment.id} has nothing to refund`);
  const key = partialRefundKey(part);
  // The provider forgets a key after a day: always look first.
  const refunds = await listOwnRefunds(context, payment, intent);
  const made = refunds.some((one) => one.key === key);
  if (!made) {
    const left = takenCents(payment) - coveredCents(refunds);
    // Everything goes back otherwise, or people refunded so much at the provider that this no longer fits.
    if (!isPaid(payment) || left < part.amountCents) return cover(context, payment, part);
    refunds.push(await payments.refund({ key, paymentIntentId: intent, amountCents: part.amountCents }));
  }
  failpoint('partial-refund.after.call');
  const after = await db.transaction(async (tx) => {
    await recordRefunds(context, tx, { bookingId: payment.bookingId, paymentId: payment.id, refunds });
    return readPartialRefund(tx, id);
  });
  return after?.state === 'pending' && after.failures === part.failures ? retryIn(PENDING_RETRY_MS) : 'done';
}

async function readDue(
  { db }: PaymentContext,
  id: string,
): Promise<{ part: PartialRefund; payment: PaymentFacts } | null> {
  const part = await readPartialRefund(db, id);
  if (part?.state !== 'pending') return null;
  const row = await db.one<{ facts: PaymentFacts }>(
    `select private.payment_json(x) as facts from private.payment x
     join private.partial_refund p on p.payment_id = x.id where p.id = $1::uuid`,
    [id],
  );
  return row && { part, payment: row.facts };
}

/** Ends a partial refund whose money goes back otherwise. Raises an alert: staff may have to settle a rest. */
async function cover({ db }: PaymentContext, read: PaymentFacts, part: PartialRefund): Promise<JobOutcome> {
  await db.transaction(async (tx) => {
    await lockBooking(tx, read.bookingId);
    const payment = await lockPayment(tx, read.id);
    const { count } = await tx.query(
      `update private.partial_refund set state = 'covered' where id = $1::uuid and state = 'pending'`,
      [part.id],
    );
    if (payment && count > 0)
      await auditPayment(tx, 'alert', payment, {
        partialRefund: part.id,
        state: 'covered',
        amountCents: part.amountCents,
      });
  });
  return 'done';
}
