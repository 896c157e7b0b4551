import { formatMoney } from '#rules/money.ts';
import type { Refund } from '#server/providers/ports.ts';
import { lockBooking, type PaymentFacts, type PaymentJson, toPayment } from '../core/booking-rows.ts';
import { failpoint } from '../core/failpoint.ts';
import { defineJob, type JobOutcome } from '../core/jobs.ts';
import { isHeldForUndo, UNDO_RETRY_MS } from '../core/undo-hold.ts';
import { countChange } from './count-outcomes.ts';
import { type PartialRefund, readPartialRefund } from './partial-refunds.ts';
import { auditPayment, isPaid, lockPayment, takenCents } from './payment-rows.ts';
import { type Recorded, recordRefunds } from './record-refunds.ts';
import { coveredCents, firstKey, isAttempt, nextKey } from './refund-keys.ts';
import { selectRefunds } from './shares.ts';
import type { Services } from '../core/services.ts';

/** Delay before a pending refund is checked again if no webhook arrives. */
const PENDING_RETRY_MS = 3_600_000;
/** Delay before a refund is tried again during a dispute. The provider refuses it until the bank has decided. */
const DISPUTED_RETRY_MS = 6 * 3_600_000;

/** A refund that is due. `part`: the partial refund; null to refund everything left of the payment. */
type DueRefund = { readonly payment: PaymentFacts; readonly key: string; readonly part: PartialRefund | null };

/**
 * Refunds everything left of a payment and follows the refund until it arrives. Runs as a job: `done` if nothing is left to do, or if the
 * refund failed and a later job is queued. Repeating it never refunds twice. Throws `ProviderError`.
 */
export async function refundPayment(services: Services, paymentId: string): Promise<JobOutcome> {
  const payment = await readPaymentToRefund(services, paymentId);
  return payment === null ? 'done' : makeRefund(services, { payment, key: firstKey(payment.id), part: null });
}

/** Makes a partial refund that staff decided on, in the same way as `refundPayment`. */
async function makePartialRefund(services: Services, id: string): Promise<JobOutcome> {
  const { db } = services;
  const part = await readPartialRefund(db, id);
  if (part?.state !== 'pending') return 'done';
  const row = await db.queryRow<{ facts: PaymentJson }>(
    `select private.payment_json(x) as facts from private.payment x
     join private.partial_refund p on p.payment_id = x.id where p.id = $1::uuid`,
    [id],
  );
  return row === null ? 'done' : makeRefund(services, { payment: toPayment(row.facts), key: part.key, part });
}

async function makeRefund(services: Services, due: DueRefund): Promise<JobOutcome> {
  const { db, payments, clock } = services;
  const { payment, part } = due;
  const intent = getIntent(due);
  const retryIn = (ms: number): JobOutcome => ({ retryAt: new Date(clock().getTime() + ms) });
  if (payment.disputeStatus === 'open') return retryIn(DISPUTED_RETRY_MS);
  if (await isHeldForUndo(db, payment.bookingId, clock())) return retryIn(UNDO_RETRY_MS);
  // The provider forgets a key after a day, and people refund on its dashboard, so always list the refunds first.
  const refunds = await listOwnRefunds(services, payment, intent);
  if (refunds.length > 0) {
    const progress = await record(services, due, refunds);
    if (progress === 'over') return 'done';
    if (progress === 'under way') return retryIn(PENDING_RETRY_MS);
  }
  const leftCents = takenCents(payment) - coveredCents(refunds);
  // The whole payment is being refunded in another way, or so much was refunded at the provider that this part no longer fits.
  if (part !== null && (!isPaid(payment) || leftCents < part.amountCents)) return cover(services, payment, part);
  if (leftCents > 0)
    refunds.push(
      await payments.refund({
        key: nextKey(due.key, refunds),
        paymentIntentId: intent,
        ...getAmount(due, leftCents),
      }),
    );
  failpoint(part === null ? 'refund.after.call' : 'partial-refund.after.call');
  return (await record(services, due, refunds)) === 'over' ? 'done' : retryIn(PENDING_RETRY_MS);
}

/**
 * Returns the amount to send. A refund of everything left sends no amount, so that the provider determines it. For a series the amount is
 * sent, because what is left at the provider includes the other bookings of the series.
 */
function getAmount({ payment, part }: DueRefund, leftCents: number): { readonly amountCents?: number } {
  if (part !== null) return { amountCents: part.amountCents };
  return payment.shareOf === null ? {} : { amountCents: leftCents };
}

/** Returns the provider's id of the payment. Throws for money that the provider never had; the job then fails until staff close it. */
function getIntent({ payment, part }: DueRefund): string {
  if (payment.kind === 'elsewhere')
    throw new Error(
      `This was paid outside this site. Refund ${formatMoney(part?.amountCents ?? takenCents(payment))} by hand, then close this task and enter how you did it.`,
    );
  if (payment.kind !== 'card' || payment.paymentIntentId === null)
    throw new Error(`payment ${payment.id} has nothing to refund`);
  return payment.paymentIntentId;
}

/**
 * `over`: the refund has arrived, or it has failed and a later job is queued. `under way`: the provider is processing it. `due`: it has to
 * be sent.
 */
type Progress = 'over' | 'under way' | 'due';

/** Stores the refunds of the payment and returns the progress of this one. */
async function record(
  services: Services,
  { payment, key, part }: DueRefund,
  refunds: readonly Refund[],
): Promise<Progress> {
  const { recorded, pending } = await services.db.transaction(async (tx) => ({
    recorded: await recordRefunds(services, tx, { bookingId: payment.bookingId, paymentId: payment.id, refunds }),
    pending: part === null || (await readPartialRefund(tx, part.id))?.state === 'pending',
  }));
  countChange(services, payment.state, recorded.state);
  if (part === null) return progressOfRest(payment, recorded, refunds);
  if (recorded.failed.some((refund) => isAttempt(key, refund)) || !pending) return 'over';
  return refunds.some((refund) => isAttempt(key, refund) && coveredCents([refund]) > 0) ? 'under way' : 'due';
}

function progressOfRest(payment: PaymentFacts, { state }: Recorded, refunds: readonly Refund[]): Progress {
  if (state !== 'refund_pending') return 'over';
  return takenCents(payment) > coveredCents(refunds) ? 'due' : 'under way';
}

/** Lists the refunds of a payment at the provider; for a share of a series, its part of them. */
async function listOwnRefunds({ db, payments }: Services, payment: PaymentFacts, intent: string): Promise<Refund[]> {
  const refunds = await payments.listRefunds(intent);
  if (payment.shareOf === null || refunds.length === 0) return [...refunds];
  return [...(await db.transaction((tx) => selectRefunds(tx, payment, refunds)))];
}

/** Reads the payment if a refund is due, and null otherwise. A failed refund becomes due again. */
async function readPaymentToRefund({ db }: Services, paymentId: string): Promise<PaymentFacts | null> {
  const row = await db.queryRow<{ facts: PaymentJson }>(
    `update private.payment x set state = 'refund_pending' where x.id = $1::uuid and x.state in ('refund_pending', 'refund_failed')
     returning private.payment_json(x) as facts`,
    [paymentId],
  );
  return row && toPayment(row.facts);
}

/** Ends a partial refund whose money is refunded in another way. Raises an alert, because staff may have to settle a remainder. */
async function cover({ db }: Services, read: PaymentFacts, part: PartialRefund): Promise<JobOutcome> {
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

export const refundPaymentJob = defineJob({
  kind: 'payment.refund',
  title: 'Refund',
  worker: 'payments',
  handle: (services, job) => refundPayment(services, job.subjectId),
});

export const makePartialRefundJob = defineJob({
  kind: 'payment.partial-refund',
  title: 'Partial refund',
  worker: 'payments',
  handle: (services, job) => makePartialRefund(services, job.subjectId),
});
