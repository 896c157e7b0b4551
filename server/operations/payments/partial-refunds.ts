import { DatabaseError, type Transaction, type Queryable } from '#server/db/database.ts';
import type { Refund } from '#server/providers/ports.ts';
import type { PaymentFacts } from '../core/booking-rows.ts';
import { endJobs, enqueue } from '../core/jobs.ts';
import { Refusal } from '../core/refusal.ts';
import { auditPayment, isByHand, type PaidPayment, splitRefund } from './payment-rows.ts';
import { isAttempt, isFailed } from './refund-keys.ts';
import type { Services } from '../core/services.ts';

/** Delay before a failed refund is tried again. Its cause rarely disappears sooner. */
const REFUND_AGAIN_MS = 24 * 3_600_000;

export type PartialRefund = {
  readonly id: string;
  readonly amountCents: number;
  readonly state: 'pending' | 'done' | 'covered' | 'manual';
  /** The idempotency key of the first attempt (`refund-keys.ts`). */
  readonly key: string;
};

const COLUMNS = `id, amount_cents as "amountCents", state, coalesce(first_key, 'refund:' || id) as key`;

export function readPartialRefund(db: Queryable, id: string): Promise<PartialRefund | null> {
  return db.queryRow<PartialRefund>(`select ${COLUMNS} from private.partial_refund where id = $1::uuid`, [id]);
}

/**
 * Adds a refund of part of a payment and queues it, in the caller's transaction. Returns its id. Throws `Refusal` if it exceeds what is
 * left of the payment.
 */
export async function addPartialRefund(
  tx: Transaction,
  part: { paymentId: string; requestKey: string; cents: number; reason: string; actor: string },
  dueAt: Date,
): Promise<string> {
  try {
    const row = await tx.queryRow<{ id: string }>(
      `insert into private.partial_refund (payment_id, request_key, amount_cents, reason, actor)
       values ($1::uuid, $2, $3, $4, $5::uuid) returning id`,
      [part.paymentId, part.requestKey, part.cents, part.reason, part.actor],
    );
    if (!row) throw new Error('a partial refund cannot be read back');
    await enqueue(tx, { kind: 'payment.partial-refund', subjectId: row.id, dueAt });
    return row.id;
  } catch (error) {
    if (error instanceof DatabaseError && error.constraint === 'partial_refund_within_payment')
      throw new Refusal('invalid_request', 'This is more than the remaining payment.', { field: 'cents' });
    throw error;
  }
}

/** The parts into which a refund of several payments was divided. */
export type SplitRefund = { readonly ids: readonly string[]; readonly cents: number; readonly byHandCents: number };

/**
 * Adds a refund of part of what was paid for a booking, from as many of its payments as needed, in the caller's transaction. If less is
 * left, less is refunded.
 */
export async function addSplitRefund(
  tx: Transaction,
  paid: readonly PaidPayment[],
  { cents, ...part }: { cents: number; requestKey: string; reason: string; actor: string },
  dueAt: Date,
): Promise<SplitRefund> {
  const parts = splitRefund(paid, cents);
  const ids: string[] = [];
  for (const entry of parts)
    ids.push(await addPartialRefund(tx, { ...part, paymentId: entry.payment.id, cents: entry.cents }, dueAt));
  const sum = (all: typeof parts): number => all.reduce((total, entry) => total + entry.cents, 0);
  return { ids, cents: sum(parts), byHandCents: sum(parts.filter(({ payment }) => isByHand(payment))) };
}

/**
 * Updates the partial refunds of a payment from its refunds at the provider, in the caller's transaction. `failed`: the refunds that have
 * failed since the last update. A partial refund whose attempt failed is due again under a new key, even if it had arrived before.
 */
export async function followPartialRefunds(
  { clock }: Services,
  tx: Transaction,
  payment: PaymentFacts,
  { refunds, failed }: { readonly refunds: readonly Refund[]; readonly failed: readonly Refund[] },
): Promise<void> {
  if (refunds.every(({ key }) => key === null)) return;
  const { rows } = await tx.query<PartialRefund>(
    `select ${COLUMNS} from private.partial_refund where payment_id = $1::uuid and state in ('pending', 'done')`,
    [payment.id],
  );
  for (const part of rows) {
    const attempts = refunds.filter((refund) => isAttempt(part.key, refund));
    const failures = attempts.filter(isFailed).length;
    const arrived = attempts.some(({ status }) => status === 'succeeded');
    if (part.state === 'pending' && arrived) await setState(tx, payment, { id: part.id, state: 'done', failures });
    if (arrived || !failed.some((refund) => isAttempt(part.key, refund))) continue;
    await setState(tx, payment, { id: part.id, state: 'pending', failures });
    await refundLater(tx, { kind: 'payment.partial-refund', subjectId: part.id, failures, now: clock() });
  }
}

/** Writes the state of a partial refund and its audit row. `failures`: number of failed attempts. */
async function setState(
  tx: Transaction,
  payment: PaymentFacts,
  { id, state, failures }: { id: string; state: 'pending' | 'done'; failures: number },
): Promise<void> {
  await tx.query('update private.partial_refund set state = $2 where id = $1::uuid', [id, state]);
  await auditPayment(tx, 'update', payment, { partialRefund: id, state, failures });
}

/** Queues the next attempt of a failed refund, replacing the job that followed the failed attempt. */
export async function refundLater(
  tx: Transaction,
  refund: { kind: 'payment.refund' | 'payment.partial-refund'; subjectId: string; failures: number; now: Date },
): Promise<void> {
  const { kind, subjectId, failures, now } = refund;
  await endJobs(tx, { kinds: [kind], subjectId, recipients: [] });
  const dueAt = new Date(now.getTime() + REFUND_AGAIN_MS);
  await enqueue(tx, { kind, subjectId, dedupe: `failed:${failures}`, dueAt });
}
