import { couponLabel, type CouponTerms } from '#rules/coupons.ts';
import { formatMoney } from '#rules/money.ts';
import type { Quote } from '#rules/pricing.ts';
import { formatStudioRange } from '#rules/studio-time.ts';
import type { ReactNode } from 'react';
import type { BookingDraft } from '#web/lib/drafts.ts';
import { Skeleton } from '#web/ui/notice.tsx';
import { Fact, Facts } from '#web/ui/table.tsx';

/** Shows the studio, the hours and their cost. */
export function PriceSummary({
  draft,
  quote,
  coupon,
  unpriced,
  dates = null,
}: {
  draft: BookingDraft;
  quote: Quote;
  coupon: CouponTerms | null;
  /** A coupon is being checked, so the total is unknown. */
  unpriced: boolean;
  /** The dates of a series with their prices, and the sum in cents; null for a single booking. */
  dates?: { readonly part: ReactNode; readonly totalCents: number } | null;
}) {
  return (
    <section aria-label="Price" className="bg-booth p-5">
      <h2 className="text-2xl">{draft.studio_name}</h2>
      <p className="mt-2 text-sm text-fog">
        {formatStudioRange(new Date(draft.start_time), new Date(draft.end_time))}{' '}
        <span className="text-dust">(Sydney time)</span>
      </p>
      {dates?.part ?? <Items quote={quote} coupon={coupon} />}
      <p aria-live="polite" className="mt-4 flex items-baseline justify-between border-t border-line pt-4">
        <span className="font-semibold">Total, AUD</span>
        {unpriced ? (
          <Skeleton className="h-10 w-28" label="Checking the total" />
        ) : (
          <span className="text-4xl font-extrabold">{formatMoney(dates?.totalCents ?? quote.totalCents)}</span>
        )}
      </p>
    </section>
  );
}

/** The items of a single booking's price. */
function Items({ quote, coupon }: { quote: Quote; coupon: CouponTerms | null }) {
  return (
    <Facts look="items" className="mt-4">
      <Fact name={`${quote.hours} ${quote.hours === 1 ? 'hour' : 'hours'}`}>{formatMoney(quote.baseCents)}</Fact>
      {quote.discountCents > 0 ? (
        <Fact name={`${quote.discountPercent}% volume discount`}>-{formatMoney(quote.discountCents)}</Fact>
      ) : null}
      {coupon && quote.couponDiscountCents > 0 ? (
        <Fact name={`${coupon.code}, ${couponLabel(coupon)}`}>-{formatMoney(quote.couponDiscountCents)}</Fact>
      ) : null}
    </Facts>
  );
}
