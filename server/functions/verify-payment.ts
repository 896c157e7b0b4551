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
 * Settles a payment with the provider: `{paid, status, payment, bookingId, reference}`, for the owner also `booking`.
 * `state: 'asking'` means that the provider has not answered within two seconds: call again later.
 * Works with the session id alone, as after a lost sign-in, but shows a guest nothing private.
 */
export function verifyPayment(context: { payment: PaymentStatusContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'everyone',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { sessionId } = parse(bodySchema, body);
      const { booking, payment, paid, waiting } = await readPaymentStatus(context.payment, sessionId);
      const answer = {
        paid,
        status: booking.status,
        payment: PAYMENT_WORDS[payment.state],
        bookingId: booking.id,
        reference: booking.reference,
        ...(waiting ? { state: 'asking' } : {}),
      };
      if (caller.userId === null || caller.userId !== booking.userId) return json(answer);
      return json({
        ...answer,
        booking: {
          studio_id: booking.studioId,
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
