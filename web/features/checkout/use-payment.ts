import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { centsToDollars } from '#rules/money.ts';
import type { Quote } from '#rules/pricing.ts';
import { findPaymentRefusal } from '#web/data/bookings/payment-refusals.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { usePayPage } from '#web/lib/use-pay-page.ts';
import type { BookingDraft } from '#web/lib/drafts.ts';
import { describeError, errorNumber } from '#web/lib/errors.ts';
import { leaveTo } from '#web/lib/leave.ts';
import { priceChanged } from '#web/lib/business/price-changed.ts';
import { useBackAgain } from '#web/lib/use-back-again.ts';
import { toast } from '#web/ui/toast.tsx';
import type { Customer } from './customer.ts';
import { pay } from './queries.ts';

/** The error of a payment attempt. `total` (cents): the server's price, if it differs. `back`: the customer has to choose other hours. */
export type PaymentProblem = {
  readonly text: string;
  readonly total: number | null;
  readonly back: boolean;
  /** The customer has too many unpaid holds, so the page links to them. */
  readonly holds?: boolean;
};

/** The coupon for the server (`wire`: see `CouponState`), and a function that drops it if the server refuses it. */
type UsedCoupon = { readonly wire: string | null; readonly refuse: () => void };
type Attempt = {
  readonly customer: Customer;
  readonly shownCents: number;
  readonly quote: Pick<Quote, 'baseCents' | 'discountCents' | 'couponDiscountCents'>;
  readonly coupon: UsedCoupon;
};

/** Holds the hours and leaves for the pay page, or reports the problem. */
export function usePayment(options: {
  draft: BookingDraft;
  userId: string;
  /** The price without a coupon, in cents. */
  fullCents: number;
  /** The version of the terms that was accepted on this page. */
  termsVersion: string | null;
  onEligibilityLost: () => void;
  /** Called when the terms have changed. */
  onTermsChanged: () => void;
}) {
  const { draft, userId, fullCents, termsVersion } = options;
  const [problem, setProblem] = useState<PaymentProblem | null>(null);
  const payPage = usePayPage();
  const send = useMutation({
    mutationFn: async ({ customer, shownCents, quote, coupon }: Attempt) => {
      const request = {
        draft,
        userId,
        couponCode: coupon.wire,
        total: centsToDollars(shownCents),
        parts: {
          subtotal: centsToDollars(quote.baseCents),
          discount: centsToDollars(quote.discountCents),
          couponDiscount: centsToDollars(quote.couponDiscountCents),
        },
        termsVersion,
        customer,
      };
      const url = await payPage.open(() => pay(request));
      if (url !== null) leaveTo(url);
    },
    // The hours may be taken by now.
    meta: { handled: true, invalidates: [queryKeys.availability.all] },
    // A price that the customer agreed to stays on the screen during the payment.
    onMutate: () => setProblem((before) => (before === null || before.total === null ? null : before)),
    onError: (error, attempt) => {
      const refusal = findPaymentRefusal(error);
      if (refusal === 'id' || refusal === 'terms') options.onEligibilityLost();
      if (refusal === 'terms') options.onTermsChanged();
      if (refusal === 'coupon') attempt.coupon.refuse();
      const found = explainPayment(error, attempt.shownCents, fullCents);
      setProblem(found);
      toast({ title: 'Payment Error', description: found.text, tone: 'bad' });
    },
  });
  useBackAgain(send.reset);
  return {
    // The button stays busy while the browser leaves the page.
    busy: send.isPending || send.isSuccess,
    asking: payPage.asking,
    problem,
    start: (attempt: Attempt): Promise<void> => send.mutateAsync(attempt),
    forget: () => setProblem(null),
  };
}

/** Explains why a payment could not start. Amounts are in cents. */
function explainPayment(error: unknown, shownCents: number, fullCents: number): PaymentProblem {
  const refusal = findPaymentRefusal(error);
  const message = describeError(error, 'Failed to process payment. Please try again.');
  const askToAgree = (why: string, total: number): PaymentProblem => ({
    text: priceChanged(why, centsToDollars(shownCents), centsToDollars(total)),
    total,
    back: false,
  });
  if (refusal === 'coupon') return askToAgree(message, fullCents);
  const total = errorNumber(error, 'total');
  if (refusal === 'price' && total !== null) return askToAgree('', Math.round(total * 100));
  return {
    text: message,
    total: null,
    back: refusal === 'hours',
    holds: refusal === 'too many holds' || refusal === 'too many hours',
  };
}
