import { useState } from 'react';
import { centsToDollars } from '#rules/money.ts';
import type { BookingDraft } from '#web/lib/drafts.ts';
import { AppError, describeError, OFFLINE } from '#web/lib/errors.ts';
import { leaveTo } from '#web/lib/leave.ts';
import { priceChanged } from '#web/lib/price-changed.ts';
import { usePayPage } from '#web/data/use-pay-page.ts';
import { useBackAgain } from '#web/lib/use-back-again.ts';
import { toast } from '#web/ui/toast.tsx';
import type { Customer } from './customer.ts';
import { pay } from './queries.ts';

/** Error of a payment attempt; `total` (cents) when the server has another price, `back` when other hours have to be chosen. */
export type PaymentProblem = {
  readonly text: string;
  readonly total: number | null;
  readonly back: boolean;
  /** There are too many unpaid holds: link to them. */
  readonly holds?: boolean;
};

/** Coupon for the server (`wire` as in `CouponState`), and how to drop it when it is refused. */
type UsedCoupon = { readonly wire: string | null; readonly refuse: () => void };

/** Holds the hours and leaves for the pay page, or reports what went wrong. */
export function usePayment(options: {
  draft: BookingDraft;
  userId: string;
  /** Price without a coupon, in cents. */
  fullCents: number;
  onEligibilityLost: () => void;
}) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<PaymentProblem | null>(null);
  const payPage = usePayPage();
  useBackAgain(() => setBusy(false));

  function refuse(text: string, more: Partial<PaymentProblem> = {}): void {
    setProblem({ text, total: null, back: false, ...more });
    toast({ title: 'Payment Error', description: text, tone: 'bad' });
  }

  function explain(error: unknown, shownCents: number, coupon: UsedCoupon): void {
    const code = error instanceof AppError ? error.code : '';
    if (code === 'id_required' || code === 'terms_required') options.onEligibilityLost();
    const said = describeError(error, navigator.onLine ? 'Failed to process payment. Please try again.' : OFFLINE);
    const askFor = (why: string, total: number): void =>
      refuse(priceChanged(why, centsToDollars(shownCents), centsToDollars(total)), { total });
    if (code === 'coupon_invalid' || code === 'coupon_exhausted') {
      coupon.refuse();
      return askFor(said, options.fullCents);
    }
    const named = error instanceof AppError ? error.details['total'] : null;
    if (code === 'price_changed' && typeof named === 'number') return askFor('', Math.round(named * 100));
    return refuse(said, {
      back: code === 'slot_taken' || code === 'slot_closed',
      holds: code === 'too_many_holds',
    });
  }

  async function start(customer: Customer, shownCents: number, coupon: UsedCoupon): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      const { draft, userId } = options;
      const wanted = { draft, userId, couponCode: coupon.wire, total: centsToDollars(shownCents), ...customer };
      const url = await payPage.open(() => pay(wanted));
      if (url !== null) leaveTo(url); // stay busy while the browser leaves the page
    } catch (error) {
      setBusy(false);
      explain(error, shownCents, coupon);
    }
  }

  return { busy, asking: payPage.asking, problem, start, forget: () => setProblem(null) };
}
