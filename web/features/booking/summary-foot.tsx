import { useId } from 'react';
import type { CouponTerms } from '#rules/coupon-discount.ts';
import { formatMoney } from '#rules/money.ts';
import type { Quote } from '#rules/pricing.ts';
import { useOnline } from '#web/lib/use-browser.ts';
import { Frozen } from '#web/lib/use-stable.ts';
import { Button } from '#web/ui/button.tsx';
import { Skeleton } from '#web/ui/notice.tsx';
import { Progress } from '#web/ui/progress.tsx';

/** What Book Now is doing, in the order of its stages. */
export const WORDS = [
  'Holding your hours.',
  'Still holding your hours and opening the payment page.',
  'The payment service is slow right now. Please stay on this page. You won’t be charged until you enter a card.',
] as const;

/** The price with Book Now, and what happens next. */
export function Foot({
  quote,
  hours,
  coupon,
  flat,
  series,
  next,
  terms,
  busy,
  unpriced,
  onBook,
  onClear,
}: {
  quote: Quote;
  hours: string;
  coupon: CouponTerms | null;
  flat: boolean;
  series: { readonly dates: number; readonly totalCents: number | null };
  next: string | null;
  terms: string;
  busy: boolean;
  unpriced: boolean;
  onBook: () => void;
  onClear: () => void;
}) {
  const nextId = useId();
  return (
    <div>
      <div
        className={`mt-2 flex items-end justify-between gap-3 ${flat ? 'lg:mt-0 lg:items-center' : 'lg:mt-5 lg:block'}`}
      >
        <Frozen on={busy}>
          <Total quote={quote} hours={hours} coupon={coupon} unpriced={unpriced} flat={flat} series={series} />
        </Frozen>
        <BookNow
          busy={busy}
          disabled={unpriced}
          describedBy={nextId}
          className={`bar:hidden ${flat ? 'lg:px-10' : 'lg:w-full'}`}
          onBook={onBook}
        />
      </div>
      <Next id={nextId} text={next} terms={terms} busy={busy} flat={flat} onClear={onClear} />
    </div>
  );
}

export function BookNow({
  busy,
  disabled,
  describedBy,
  className,
  onBook,
}: {
  busy: boolean;
  disabled: boolean;
  describedBy: string;
  className: string;
  onBook: () => void;
}) {
  const online = useOnline();
  return (
    <Button
      busy={busy}
      disabled={disabled || !online}
      onClick={onBook}
      aria-describedby={describedBy}
      className={`shrink-0 ${className}`}
    >
      Book Now
    </Button>
  );
}

/** Shows what Book Now leads to or is doing, with Clear Selection. */
function Next({
  id,
  text,
  terms,
  busy,
  flat,
  onClear,
}: {
  id: string;
  text: string | null;
  terms: string;
  busy: boolean;
  flat: boolean;
  onClear: () => void;
}) {
  return (
    <div
      className={`mt-1 flex min-h-11 items-center justify-between gap-3 ${flat ? 'lg:min-h-7' : 'lg:mt-3 lg:block'}`}
    >
      <p id={id} className="min-w-0 text-sm text-fog lg:min-h-5">
        {busy ? null : text} <strong className="block font-semibold text-chalk bar:hidden">{terms}</strong>
        <Progress on={busy} words={WORDS} />
      </p>
      <Button
        tone="quiet"
        onClick={onClear}
        disabled={busy}
        className={`shrink-0 max-lg:text-sm ${flat ? 'lg:min-h-7 lg:py-0 lg:text-sm' : 'lg:mt-1'}`}
      >
        Clear Selection
      </Button>
    </div>
  );
}

/** Shows the total. The figure animates when it changes, so that the customer notices. */
function Total({
  quote,
  hours,
  coupon,
  unpriced,
  flat,
  series,
}: {
  quote: Quote;
  hours: string;
  coupon: CouponTerms | null;
  unpriced: boolean;
  flat: boolean;
  series: { readonly dates: number; readonly totalCents: number | null };
}) {
  const totalCents = series.totalCents ?? quote.totalCents;
  return (
    <div className={`min-w-0 ${flat ? 'lg:flex lg:items-baseline lg:gap-x-3' : 'lg:mb-4'}`}>
      <p
        aria-live="polite"
        aria-atomic="true"
        className={`text-4xl leading-none font-extrabold tabular-nums ${flat ? '' : 'lg:text-6xl'}`}
      >
        {unpriced ? (
          <Skeleton className="h-9 w-24" label="Checking the total" />
        ) : (
          <>
            <span className="sr-only">Total </span>
            <span key={totalCents} className="inline-block animate-drop">
              {formatMoney(totalCents)}
            </span>
          </>
        )}
      </p>
      <p className={`mt-1 text-xs font-semibold text-fog ${flat ? '' : 'lg:hidden'}`}>
        {series.dates === 1 ? hours : `${series.dates} × ${hours}`}
        {quote.discountCents > 0 && series.dates === 1 ? (
          <span className="text-good">
            , {quote.discountPercent}% volume discount -{formatMoney(quote.discountCents)}
          </span>
        ) : null}
        {coupon && quote.couponDiscountCents > 0 && series.dates === 1 ? (
          <span className="break-all text-good">
            , {coupon.code} -{formatMoney(quote.couponDiscountCents)}
          </span>
        ) : null}
      </p>
    </div>
  );
}
