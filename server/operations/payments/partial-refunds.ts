import { DatabaseError, type Transaction } from '#server/db/database.ts';
import type { Refund } from '#server/providers/ports.ts';
import type { PaymentFacts } from '../core/booking-rows.ts';
import { enqueue } from '../core/jobs.ts';
import { Refusal } from '../core/refusal.ts';
import type { PaymentContext } from './context.ts';
import { auditPayment, isByHand, type PaidPayment, splitRefund } from './payment-rows.ts';

/** How soon a failed refund is tried again; its cause seldom disappears sooner. */
export const REFUND_AGAIN_MS = 24 * 3_600_000;

export type PartialRefund = {
  readonly id: string;
  readonly amountCents: number;
  readonly state: 'pending' | 'done' | 'covered' | 'manual';
  readonly failures: number;
};

const COLUMNS = 'id, amount_cents as "amountCents", state, failures';

/** One key for each try: to a known key the provider would answer with the failed refund. */
export const partialRefundKey = ({ id, failures }: PartialRefund): string => `refund:part:${id}:${failures}`;

export function readPartialRefund(db: Pick<Transaction, 'one'>, id: string): Promise<PartialRefund | null> {
  return db.one<PartialRefund>(`select ${COLUMNS} from private.partial_refund where id = $1::uuid`, [id]);
}

/**
 * Adds a refund of a part of a paid payment and queues it, in the caller's transaction. Returns its id. Throws `Refusal` when that is
 * more than what is left of the payment.
 */
export async function addPartialRefund(
  { clock }: Pick<PaymentContext, 'clock'>,
  tx: Transaction,
  part: { paymentId: string; requestKey: string; cents: number; reason: string; actor: string },
): Promise<string> {
  try {
    const row = await tx.one<{ id: string }>(
      `insert into private.partial_refund (payment_id, request_key, amount_cents, reason, actor)
       values ($1::uuid, $2, $3, $4, $5::uuid) returning id`,
      [part.paymentId, part.requestKey, part.cents, part.reason, part.actor],
    );
    if (!row) throw new Error('a partial refund cannot be read back');
    await enqueue(tx, { kind: 'payment.partial-refund', subjectId: row.id, dueAt: clock() });
    return row.id;
  } catch (error) {
    if (error instanceof DatabaseError && error.constraint === 'partial_refund_within_payment')
      throw new Refusal('invalid_request', 'This is more than what is left of the payment.', { field: 'cents' });
    throw error;
  }
}

/** What a refund of several payments was divided into. */
export type SplitRefund = { readonly ids: readonly string[]; readonly cents: number; readonly byHandCents: number };

/**
 * Adds a refund of a part of what was paid for a booking, from as many of its payments as it needs, in the caller's transaction. Refunds less
 * when less is left.
 */
export async function addSplitRefund(
  context: Pick<PaymentContext, 'clock'>,
  tx: Transaction,
  paid: readonly PaidPayment[],
  { cents, ...part }: { cents: number; requestKey: string; reason: string; actor: string },
): Promise<SplitRefund> {
  const parts = splitRefund(paid, cents);
  const ids: string[] = [];
  for (const one of parts)
    ids.push(await addPartialRefund(context, tx, { ...part, paymentId: one.payment.id, cents: one.cents }));
  const sum = (all: typeof parts): number => all.reduce((total, one) => total + one.cents, 0);
  return { ids, cents: sum(parts), byHandCents: sum(parts.filter(({ payment }) => isByHand(payment))) };
}

/**
 * Updates the partial refunds of a payment from its refunds at the provider, in the caller's transaction. A refund that failed is due
 * again under a new key, also when it had arrived before.
 */
export async function followPartialRefunds(
  { clock }: Pick<PaymentContext, 'clock'>,
  tx: Transaction,
  payment: PaymentFacts,
  refunds: readonly Refund[],
): Promise<void> {
  const { rows } = await tx.query<PartialRefund>(
    `update private.partial_refund p set state = case x.status when 'succeeded' then 'done' else 'pending' end,
       failures = p.failures + case x.status when 'succeeded' then 0 else 1 end
     from jsonb_to_recordset($2::jsonb -> 'refunds') as x(key text, status text)
     where p.payment_id = $1::uuid and x.key = 'refund:part:' || p.id || ':' || p.failures
       and ((p.state = 'pending' and x.status = 'succeeded') or (p.state in ('pending', 'done') and x.status in ('failed', 'canceled')))
     returning p.id, p.amount_cents as "amountCents", p.state, p.failures`,
    [payment.id, { refunds }],
  );
  for (const row of rows) {
    const { id, state, failures } = row;
    await auditPayment(tx, 'update', payment, { partialRefund: id, state, failures });
    if (state === 'pending')
      await enqueue(tx, {
        kind: 'payment.partial-refund',
        subjectId: id,
        dedupe: `failed:${failures}`,
        dueAt: new Date(clock().getTime() + REFUND_AGAIN_MS),
      });
  }
}
