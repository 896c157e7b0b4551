import type { Transaction } from '#server/db/database.ts';
import { lockBooking } from '../core/booking-rows.ts';
import { enqueue } from '../core/jobs.ts';
import { Refusal } from '../core/refusal.ts';
import { type MoneyRight, requireConcession } from '../core/concessions.ts';
import { addSplitRefund } from './partial-refunds.ts';
import { leftCents, paidPayments } from './payment-rows.ts';
import type { Services } from '../core/services.ts';
import { recordAudit } from '../core/audit.ts';

export type StaffRefund = {
  readonly bookingId: string;
  readonly cents: number;
  readonly reason: string;
  /** Distinguishes two equal refunds. If null, a refund with the same amount and reason counts as the same one. */
  readonly requestId: string | null;
  readonly actor: string;
  /** Whether staff may refund more than the terms give. Undefined counts as `missing`. */
  readonly money?: MoneyRight;
};

/** `refundId`: the first of the parts into which the refund was divided. `byHand`: whether staff give some of it back themselves. */
type Refunded = { readonly refundId: string; readonly byHand: boolean };

/**
 * Refunds part of a booking's payment, or all that is left of it, and queues the mail. The booking does not change. Idempotent: a repeated
 * call returns the same refund. Throws `Refusal`.
 */
export async function refundForStaff(
  services: Services,
  { bookingId, cents, reason, requestId, actor, money }: StaffRefund,
): Promise<Refunded> {
  // The terms give no refund while the booking stays.
  requireConcession(money, { kind: 'refund', cents, termsCents: 0 });
  return services.db.transaction(async (tx) => {
    const booking = await lockBooking(tx, bookingId);
    if (!booking) throw new Refusal('not_found', 'Booking not found');
    const requestKey = requestId === null ? `${cents}:${reason}` : `request:${requestId}`;
    const previous = await readMade(tx, bookingId, requestKey);
    if (previous !== null) {
      if (previous.cents === cents) return { refundId: previous.id, byHand: previous.byHand };
      throw new Refusal('already_done', 'This request already refunded another amount.', {
        refundCents: previous.cents,
      });
    }
    const paid = await paidPayments(tx, bookingId);
    if (paid.length === 0) throw new Refusal('already_done', 'This booking has no payment that can be refunded.');
    const remaining = leftCents(paid);
    if (cents > remaining)
      throw new Refusal('invalid_request', 'This is more than the remaining payment.', {
        field: 'cents',
        refundableCents: remaining,
      });
    const dueAt = services.clock();
    const { ids, byHandCents } = await addSplitRefund(tx, paid, { requestKey, cents, reason, actor }, dueAt);
    const [id = ''] = ids;
    await recordAudit(tx, {
      actor,
      action: 'create',
      resource: 'refund',
      id,
      details: {
        bookingId,
        cents,
        before: { refundableCents: remaining },
        after: { refundableCents: remaining - cents },
        reason,
      },
    });
    await enqueue(tx, {
      kind: 'mail.refund',
      subjectId: bookingId,
      dedupe: id,
      payload: { cents, byHandCents },
      dueAt,
    });
    return { refundId: id, byHand: byHandCents > 0 };
  });
}

/** Reads the refund that an earlier call of the same request made, summed over all payments of the booking. */
async function readMade(
  tx: Transaction,
  bookingId: string,
  requestKey: string,
): Promise<{ id: string; cents: number; byHand: boolean } | null> {
  return tx.queryRow(
    `select (array_agg(p.id order by x.state = 'disputed', x.attempt desc))[1] as id, sum(p.amount_cents)::int as cents,
       bool_or(x.kind = 'elsewhere') as "byHand"
     from private.partial_refund p join private.payment x on x.id = p.payment_id
     where x.booking_id = $1::uuid and p.request_key = $2 having count(*) > 0`,
    [bookingId, requestKey],
  );
}
