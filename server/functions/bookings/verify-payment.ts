import type { z } from 'zod';
import { verifyPayment as contract } from '#contracts/bookings/verify-payment.ts';
import { centsToDollars } from '#rules/money.ts';
import type { BookingFacts, PaymentFacts } from '#server/operations/core/booking-rows.ts';
import { type PaymentStatus, readPaymentStatus } from '#server/operations/payments/read-status.ts';
import { defineHandler } from '../handler.ts';

type Answer = z.input<typeof contract.answer>;

export const verifyPayment = defineHandler(contract, async (services, { caller, body }) => {
  const status = await readPaymentStatus(services, body.sessionId);
  const owner = status.booking.userId;
  const answer = describeStatus(status);
  return owner !== null && owner === caller.userId ? { ...answer, ...describeForOwner(status) } : answer;
});

/** Maps the state of a payment to the word that the pages use. */
const PAYMENT_WORDS: Readonly<Record<PaymentFacts['state'], Answer['payment']>> = {
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

function describeStatus({ booking, payment, paid, waiting, changed, codeHeld }: PaymentStatus): Answer {
  return {
    paid,
    status: booking.status,
    payment: PAYMENT_WORDS[payment.state],
    bookingId: (changed ?? booking).id,
    reference: (changed ?? booking).reference,
    ...(waiting && { state: 'asking' }),
    ...(changed !== null && { change: null }),
    ...(codeHeld && { codeHeld }),
  };
}

function describeForOwner({ booking, payment, order, changed }: PaymentStatus): Partial<Answer> {
  const bookings = order.length === 0 ? [booking] : order;
  const sum = (amount: (item: BookingFacts) => number): number =>
    bookings.reduce((total, item) => total + amount(item), 0);
  return {
    ...(changed !== null && { change: centsToDollars(payment.amountCents) }),
    booking: {
      studio_id: booking.studioId,
      studio_name: booking.studioName,
      start_time: booking.startTime.toISOString(),
      end_time: booking.endTime.toISOString(),
      total_hours: sum((item) => Number(item.totalHours)),
      base_cost: centsToDollars(sum((item) => item.baseCostCents)),
      discount_amount: centsToDollars(sum((item) => item.discountCents + item.couponDiscountCents)),
      coupon_discount: centsToDollars(sum((item) => item.couponDiscountCents)),
      final_cost: centsToDollars(sum((item) => item.finalCostCents)),
    },
    ...(order.length > 0 && {
      series: order.map((item) => ({
        reference: item.reference,
        start_time: item.startTime.toISOString(),
        end_time: item.endTime.toISOString(),
        status: item.status,
        final_cost: centsToDollars(item.finalCostCents),
      })),
    }),
  };
}
