import type { Transaction } from '#server/db/database.ts';
import type { Refund } from '#server/providers/ports.ts';
import { lockBooking, type PaymentFacts } from '../core/booking-rows.ts';
import { cancelAndRefund } from './confirm.ts';
import { followPartialRefunds, refundLater } from './partial-refunds.ts';
import { auditPayment, lockPayment, paidPayments, takenCents } from './payment-rows.ts';
import { isFailed } from './refund-keys.ts';
import type { Services } from '../core/services.ts';

type Totals = { succeeded: number; under_way: number; failures: number; latest: string | null; at_provider: boolean };

/** The payment's new state, and the refunds that have failed since the last update. */
export type Recorded = { readonly state: PaymentFacts['state']; readonly failed: readonly Refund[] };

/**
 * Records all refunds of a payment and derives its state from their sums. A partial refund does not change the booking; a full refund made
 * at the provider cancels a booking that has not started. Idempotent.
 */
export async function recordRefunds(
  services: Services,
  tx: Transaction,
  { bookingId, paymentId, refunds }: { bookingId: string; paymentId: string; refunds: readonly Refund[] },
): Promise<Recorded> {
  // Lock the booking before its payments, in the same order as everywhere, to prevent deadlocks.
  const booking = await lockBooking(tx, bookingId);
  const payment = await lockPayment(tx, paymentId);
  if (!booking || !payment) throw new Error(`payment ${paymentId} cannot be read back`);
  const changed = await writeRefunds(tx, payment, refunds);
  const failed = refunds.filter((refund) => isFailed(refund) && changed.has(refund.id));
  await followPartialRefunds(services, tx, payment, { refunds, failed });
  const totals = await tx.queryRow<Totals>(
    `select coalesce(sum(amount_cents) filter (where status = 'succeeded'), 0)::int as succeeded,
       coalesce(sum(amount_cents) filter (where status in ('pending', 'requires_action')), 0)::int as under_way,
       (count(*) filter (where status in ('failed', 'canceled')))::int as failures,
       (array_agg(id order by created_at desc, id))[1] as latest,
       coalesce(bool_or(not ours and status not in ('failed', 'canceled')), false) as at_provider
     from private.refund where payment_id = $1::uuid`,
    [payment.id],
  );
  if (!totals || totals.latest === null) return { state: payment.state, failed };
  const state = stateAfter(payment, totals, failed.length > 0);
  const ended = payment.state === 'paid' || payment.state === 'disputed';
  const atProvider = ended && totals.at_provider;
  await tx.query(
    `update private.payment set state = $2, refunded_cents = $3, refund_id = $4,
       refund_reason = case when $2 = 'refunded' then coalesce(refund_reason, $5) else refund_reason end
     where id = $1::uuid`,
    [payment.id, state, totals.succeeded, totals.latest, ended && !atProvider ? 'staff' : 'at_provider'],
  );
  if (state === payment.state) return { state, failed };
  await auditPayment(tx, atProvider || state === 'refund_failed' ? 'alert' : 'update', payment, {
    state,
    ...(atProvider ? { reason: 'refunded_at_provider' } : {}),
    amountCents: totals.succeeded,
  });
  const now = services.clock();
  if (state === 'refund_failed') {
    await refundLater(tx, { kind: 'payment.refund', subjectId: payment.id, failures: totals.failures, now });
  }
  // A full refund made at the provider ends the booking. If partial refunds by staff add up to everything, the booking stays. The refund of
  // a duplicate payment, or of one of several payments, does not end it either.
  if (
    state === 'refunded' &&
    (atProvider || !ended) &&
    booking.status === 'confirmed' &&
    booking.startTime > now &&
    (await paidPayments(tx, booking.id)).length === 0
  ) {
    // The refund was made before the start, so release the hours and revoke the code.
    await cancelAndRefund(tx, booking, {
      by: 'staff',
      refund: null,
      actor: null,
      details: { status: 'cancelled', reason: 'staff' },
      now,
      dueAt: now,
    });
  }
  return { state, failed };
}

/** Stores each refund's new state with an audit row. A refund never returns to an earlier state. Returns the ids of those that changed. */
async function writeRefunds(
  tx: Transaction,
  payment: PaymentFacts,
  refunds: readonly Refund[],
): Promise<ReadonlySet<string>> {
  if (refunds.length === 0) return new Set();
  const { rows } = await tx.query<{ id: string; status: Refund['status']; ours: boolean; amount_cents: number }>(
    `insert into private.refund as r (id, payment_id, amount_cents, status, ours)
     select x.id, $1::uuid, x."amountCents", x.status, x.key is not null
     from jsonb_to_recordset($2::jsonb -> 'refunds') as x(id text, "amountCents" integer, status text, key text)
     on conflict (id, payment_id) do update set status = excluded.status
     where private.refund_rank(excluded.status) > private.refund_rank(r.status)
     returning r.id, r.status, r.ours, r.amount_cents`,
    [payment.id, { refunds }],
  );
  for (const row of rows) {
    await auditPayment(tx, isFailed(row) ? 'alert' : 'update', payment, {
      refund: row.id,
      status: row.status,
      amountCents: row.amount_cents,
      madeBy: row.ours ? 'us' : 'provider',
    });
  }
  return new Set(rows.map(({ id }) => id));
}

function stateAfter(payment: PaymentFacts, totals: Totals, failed: boolean): PaymentFacts['state'] {
  const taken = takenCents(payment);
  const { state } = payment;
  switch (state) {
    case 'paid':
    case 'disputed':
    case 'refund_failed':
      return totals.succeeded >= taken ? 'refunded' : state;
    case 'refund_pending':
      if (totals.succeeded >= taken) return 'refunded';
      return failed && totals.succeeded + totals.under_way < taken ? 'refund_failed' : state;
    case 'refunded':
      return failed && totals.succeeded < taken ? 'refund_failed' : state;
    default:
      return state;
  }
}
