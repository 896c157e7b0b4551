import { z } from 'zod';
import { centsToDollars } from '#rules/money.ts';
import type { PaymentFacts } from '#server/operations/core/booking-rows.ts';
import { type PaymentStatusContext, readPaymentStatus } from '#server/operations/payments/read-status.ts';
import { parse } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'verify-payment', max: 60, seconds: 60 };
const bodySchema = z.object({
  sessionId: z.string().regex(/^(?:cs_[A-Za-z0-9_]{1,200}|free_[0-9a-f-]{36})$/, 'not a payment session'),
});

/** A payment's state as the pages name it. */
const PAYMENT_WORDS: Readonly<Record<PaymentFacts['state'], PaymentWord>> = {
  intent: 'open',
  open: 'open',
  processing: 'processing',
  failed: 'failed',
  expired: 'expired',
  paid: 'paid',
  disputed: 'paid',
  refund_pending: 'returning',
  refund_failed: 'returning',
  refunded: 'returned',
  refund_manual: 'returned',
  dispute_lost: 'returned',
};
/** `processing`: the customer has finished, but the money takes days. `returning`: the refund is on its way. */
type PaymentWord = 'open' | 'processing' | 'paid' | 'failed' | 'expired' | 'returning' | 'returned';

/**
 * Settles a payment with the provider: `{paid, status, payment, bookingId, reference}`, for the owner also `booking`, and of an order the sums of all of its bookings, and `series` with each.
 * A payment for a change names the booking that changes, with `change`: its amount in dollars for the owner, null for others.
 * `codeHeld: true`: its access code waits until staff have talked to the customer.
 * `state: 'asking'` means that the provider has not answered within `PAYMENT_ANSWER_SECONDS`: call again later.
 * Works with the session id alone, as after a lost sign-in, but shows a guest nothing private.
 */
export function verifyPayment(context: { payment: PaymentStatusContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'everyone',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { sessionId } = parse(bodySchema, body);
      const { booking, payment, paid, waiting, order, changed, codeHeld } = await readPaymentStatus(
        context.payment,
        sessionId,
      );
      const answer = {
        paid,
        status: booking.status,
        payment: PAYMENT_WORDS[payment.state],
        bookingId: (changed ?? booking).id,
        reference: (changed ?? booking).reference,
        ...(waiting ? { state: 'asking' } : {}),
        ...(changed === null ? {} : { change: null }),
        ...(codeHeld && { codeHeld }),
      };
      if (caller.userId === null || caller.userId !== booking.userId) return json(answer);
      const sum = (amount: (one: typeof booking) => number): number =>
        (order.length === 0 ? [booking] : order).reduce((total, one) => total + amount(one), 0);
      return json({
        ...answer,
        ...(changed !== null && { change: centsToDollars(payment.amountCents) }),
        booking: {
          studio_id: booking.studioId,
          studio_name: booking.studioName,
          start_time: booking.startTime,
          end_time: booking.endTime,
          total_hours: sum((one) => Number(one.totalHours)),
          base_cost: centsToDollars(sum((one) => one.baseCostCents)),
          discount_amount: centsToDollars(sum((one) => one.discountCents + one.couponDiscountCents)),
          coupon_discount: centsToDollars(sum((one) => one.couponDiscountCents)),
          final_cost: centsToDollars(sum((one) => one.finalCostCents)),
        },
        ...(order.length > 0 && {
          series: order.map((one) => ({
            reference: one.reference,
            start_time: one.startTime,
            end_time: one.endTime,
            status: one.status,
            final_cost: centsToDollars(one.finalCostCents),
          })),
        }),
      });
    },
  };
}
