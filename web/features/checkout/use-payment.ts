import { useState } from 'react';
import { centsToDollars, formatMoney } from '#rules/money.ts';
import type { BookingDraft } from '#web/lib/drafts.ts';
import { describeError } from '#web/lib/errors.ts';
import { leaveTo } from '#web/lib/leave.ts';
import { usePayPage } from '#web/lib/use-pay-page.ts';
import { AppError, OFFLINE } from '#web/lib/supabase.ts';
import { useBackAgain } from '#web/lib/use-back-again.ts';
import { toast } from '#web/ui/toast.tsx';
import type { Customer } from './customer.ts';
import { pay } from './queries.ts';

/** What went wrong; `total` in cents when the server names another price, `back` when other hours have to be chosen. */
export type PaymentProblem = { readonly text: string; readonly total: number | null; readonly back: boolean };

/** The way to the pay page: holds the hours, then leaves; or says what stood in the way. */
export function usePayment(parts: {
  draft: BookingDraft;
  userId: string;
  couponCode: string | null;
  onCouponLost: () => void;
  onStandingLost: () => void;
}) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<PaymentProblem | null>(null);
  const payPage = usePayPage();
  useBackAgain(() => setBusy(false));

  function refuse(text: string, more: Partial<PaymentProblem> = {}): void {
    setProblem({ text, total: null, back: false, ...more });
    toast({ title: 'Payment Error', description: text, tone: 'bad' });
  }

  function explain(error: unknown, shownCents: number): void {
    const code = error instanceof AppError ? error.code : '';
    if (code === 'id_required' || code === 'terms_required') parts.onStandingLost();
    if (code === 'coupon_invalid' || code === 'coupon_exhausted') parts.onCouponLost();
    const named = error instanceof AppError ? error.details['total'] : null;
    if (code === 'price_changed' && typeof named === 'number') {
      const total = Math.round(named * 100);
      return refuse(
        `The price is now ${formatMoney(total)} instead of ${formatMoney(shownCents)}. Nothing has been charged.`,
        { total },
      );
    }
    const fallback = navigator.onLine ? 'Failed to process payment. Please try again.' : OFFLINE;
    return refuse(describeError(error, fallback), { back: code === 'slot_taken' || code === 'slot_closed' });
  }

  async function start(customer: Customer, shownCents: number): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      const { draft, userId, couponCode } = parts;
      const wanted = { draft, userId, couponCode, total: centsToDollars(shownCents), ...customer };
      const url = await payPage.open(() => pay(wanted));
      if (url !== null) leaveTo(url); // busy stays: the page is on its way out
    } catch (error) {
      setBusy(false);
      explain(error, shownCents);
    }
  }

  return { busy, asking: payPage.asking, problem, start, forget: () => setProblem(null) };
}
