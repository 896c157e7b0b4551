import type { Transaction } from '#server/db/database.ts';
import type { Dispute } from '#server/providers/ports.ts';
import { followCodeHold, readCodeHold } from '../access/code-hold.ts';
import type { BookingFacts, PaymentFacts } from '../core/booking-rows.ts';
import { enqueue } from '../core/jobs.ts';
import { auditPayment, takenCents } from './payment-rows.ts';
import type { Services } from '../core/services.ts';

/**
 * Records the disputes of a payment and raises an alert for each change. The booking does not change: staff decide about one that has not
 * started, and its access code is held until then.
 */
export async function recordDisputes(
  services: Services,
  tx: Transaction,
  move: { booking: BookingFacts; payment: PaymentFacts; disputes: readonly Dispute[] },
): Promise<void> {
  const { booking, payment } = move;
  // The dispute of a series is stored once, with its first payment.
  if (payment.shareOf === null || payment.shareOf === payment.id)
    await writeDisputes(tx, payment, move.disputes, services.clock());
  const newest = move.disputes.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())[0];
  if (!newest || (payment.disputeId === newest.id && payment.disputeStatus === newest.status)) return;
  const before = await readCodeHold(tx, booking.id);
  const state = stateAfter(booking, payment, newest.status, await isKept(tx, booking));
  await tx.query(`update private.payment set state = $2, dispute_id = $3, dispute_status = $4 where id = $1::uuid`, [
    payment.id,
    state,
    newest.id,
    newest.status,
  ]);
  await auditPayment(tx, 'alert', payment, { dispute: newest.id, status: newest.status, state });
  await followCodeHold(services, tx, booking, before);
  if (state === 'refund_pending' && payment.state !== 'refund_pending')
    await enqueue(tx, {
      kind: 'payment.refund',
      subjectId: payment.id,
      dedupe: `dispute:${newest.id}`,
      dueAt: services.clock(),
    });
}

/** Stores each dispute as the provider reports it. */
async function writeDisputes(
  tx: Transaction,
  payment: PaymentFacts,
  disputes: readonly Dispute[],
  now: Date,
): Promise<void> {
  if (disputes.length === 0) return;
  await tx.query(
    `insert into private.dispute as d (id, payment_id, status, provider_status, needs_response, reason, amount_cents, due_at, opened_at, won_at)
     select x.id, $1::uuid, x.status, x."providerStatus", x."needsResponse", x.reason, x."amountCents", x."dueAt", x."createdAt",
       case when x.status = 'won' then $3::timestamptz end
     from jsonb_to_recordset($2::jsonb -> 'disputes') as x(id text, status text, "providerStatus" text, "needsResponse" boolean, reason text,
       "amountCents" integer, "dueAt" timestamptz, "createdAt" timestamptz)
     on conflict (id) do update set status = excluded.status, provider_status = excluded.provider_status,
       needs_response = excluded.needs_response, reason = excluded.reason, due_at = excluded.due_at,
       won_at = case when excluded.status = 'won' then coalesce(d.won_at, excluded.won_at) end
     where (d.status, d.provider_status, d.needs_response, d.reason, d.due_at)
       is distinct from (excluded.status, excluded.provider_status, excluded.needs_response, excluded.reason, excluded.due_at)`,
    [payment.id, { disputes }, now],
  );
}

/** Returns whether staff decided at the cancellation not to refund everything. Partial refunds have their own rows. */
async function isKept(tx: Transaction, booking: BookingFacts): Promise<boolean> {
  const row = await tx.queryRow(`select from private.cancellation where booking_id = $1::uuid and refund <> 'full'`, [
    booking.id,
  ]);
  return row !== null;
}

function stateAfter(
  booking: BookingFacts,
  payment: PaymentFacts,
  status: Dispute['status'],
  kept: boolean,
): PaymentFacts['state'] {
  const { state } = payment;
  switch (status) {
    case 'open':
      return state === 'paid' || state === 'dispute_lost' ? 'disputed' : state;
    case 'lost':
      return ['paid', 'disputed', 'refund_pending', 'refund_failed'].includes(state) ? 'dispute_lost' : state;
    case 'won':
      if (state !== 'disputed' && state !== 'dispute_lost') return state;
      // We have the money again, and owe it if the booking was cancelled in the meantime.
      return booking.status === 'cancelled' && !kept && payment.refundedCents < takenCents(payment)
        ? 'refund_pending'
        : 'paid';
  }
}
