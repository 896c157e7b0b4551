import { centsToDollars } from '#rules/money.ts';
import type { BookingDraft } from '#web/lib/drafts.ts';
import { priceChanged } from '#web/lib/business/price-changed.ts';
import type { PaymentProblem } from './use-payment.ts';

/** Reports an earlier code that no longer works. The customer has to agree to the higher price. */
export function lostCodeProblem(
  lost: { code: string; message: string } | null,
  draft: BookingDraft,
  totalCents: number,
): PaymentProblem | null {
  if (lost === null) return null;
  const shown = Math.min(draft.final_cost, centsToDollars(totalCents));
  return {
    text: priceChanged(`Your code ${lost.code} no longer works. ${lost.message}`, shown, centsToDollars(totalCents)),
    total: totalCents,
    back: false,
  };
}
