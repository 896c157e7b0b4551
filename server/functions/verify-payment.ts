import { z } from 'zod';
import { centsToDollars } from '#rules/money.ts';
import type { PaymentFacts } from '#server/operations/booking-rows.ts';
import type { PaymentStatus } from '#server/operations/payments/payment-status.ts';
import { json, parse } from './answers.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'verify-payment', max: 60, seconds: 60 };
const bodySchema = z.object({
  sessionId: z.string().regex(/^(?:cs_[A-Za-z0-9_]{1,200}|free_[0-9a-f-]{36})$/, 'not a payment session'),
});

/** A payment's state as the pages know it. */
const WORDS: Readonly<Record<PaymentFacts['state'], PaymentWord>> = {
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
/** `processing`: the customer has finished, the money takes days. `returning`: it is on its way back. */
export type PaymentWord = 'open' | 'processing' | 'paid' | 'failed' | 'expired' | 'returning' | 'returned';

/**
 * Asks the provider how a payment stands and moves the booking there: `{paid, status, payment, bookingId, reference}`, for its owner with
 * `booking`. `state: 'asking'` beside it: the provider has not answered within two seconds and is still being asked; the same call later tells more.
 * Works for whoever holds the session's id, as after a lost sign-in, but tells a guest nothing private (decisions T-36).
 */
export function verifyPayment(parts: { status: PaymentStatus }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'everyone',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { sessionId } = parse(bodySchema, body);
      const { booking, payment, paid, asking } = await parts.status.ask(sessionId);
      const answer = {
        paid,
        status: booking.status,
        payment: WORDS[payment.state],
        bookingId: booking.id,
        reference: booking.reference,
        ...(asking ? { state: 'asking' } : {}),
      };
      if (caller.userId === null || caller.userId !== booking.userId) return json(answer);
      return json({
        ...answer,
        booking: {
          studio_name: booking.studioName,
          start_time: booking.startTime,
          end_time: booking.endTime,
          total_hours: booking.totalHours,
          base_cost: centsToDollars(booking.baseCostCents),
          discount_amount: centsToDollars(booking.discountCents + booking.couponDiscountCents),
          coupon_discount: centsToDollars(booking.couponDiscountCents),
          final_cost: centsToDollars(booking.finalCostCents),
        },
      });
    },
  };
}
