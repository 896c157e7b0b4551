import { type ReactNode, Suspense } from 'react';
import { describeCancellation } from '#rules/cancellation.ts';
import { quoteSlots, type Rates } from '#rules/pricing.ts';
import { toSpan } from '#rules/slots.ts';
import { nextStep } from '#web/features/book-now/next-step.ts';
import { ProblemNotice } from '#web/features/book-now/problem-notice.tsx';
import { SeriesLine } from '#web/features/book-now/series-line.tsx';
import { Summary } from '#web/features/booking/summary.tsx';
import { useBusiness } from '#web/lib/business/business.ts';
import { PartBoundary } from '#web/ui/crash-screen.tsx';
import { lazyPart } from '#web/ui/load-part.ts';
import type { Booking } from './use-booking.ts';

/** Loaded on demand, because it is not needed before the first press and the form libraries are large. */
const CouponField = lazyPart(async () => ({
  default: (await import('#web/features/coupons/coupon-field.tsx')).CouponField,
}));
const HeldNote = lazyPart(async () => ({
  default: (await import('#web/features/waitlist/held-note.tsx')).HeldNote,
}));

/**
 * The summary of the chosen hours with everything that belongs to them: the wait list, a series, the coupon code, and the problem that
 * stopped Book Now.
 */
export function Selection({
  booking,
  rates,
  briefHolds,
  flat,
}: {
  booking: Booking;
  /** The prices of the chosen studio. */
  rates: Rates;
  briefHolds: ReactNode;
  flat: boolean;
}) {
  const { userId, now, eligibility, choice, coupon, series, busy, problem, book, forget } = booking;
  const { slots, studioId } = choice;
  const { freeCancelHours } = useBusiness();
  const line = (
    <>
      {userId === null || slots.length === 0 ? null : (
        <PartBoundary what="The wait list">
          <Suspense>
            <HeldNote userId={userId} studioId={studioId} slots={slots} now={now} />
          </Suspense>
        </PartBoundary>
      )}
      <SeriesLine series={series} studioName={choice.studio?.name ?? ''} busy={busy} onChange={forget} />
    </>
  );
  return (
    <Summary
      choice={choice}
      rates={rates}
      coupon={coupon.applied}
      couponField={
        eligibility.data?.verified || coupon.wire !== null ? (
          <PartBoundary what="The code field">
            <Suspense>
              <CouponField folded slots={slots} coupon={coupon} disabled={busy} />
            </Suspense>
          </PartBoundary>
        ) : null
      }
      next={nextStep({
        signedIn: userId !== null,
        eligibility: eligibility.data ?? (eligibility.isError ? null : undefined),
        totalCents: series.totalCents ?? quoteSlots(slots, rates, coupon.applied).totalCents,
      })}
      terms={slots.length === 0 ? '' : describeCancellation(toSpan(slots).start, now, freeCancelHours)}
      unpriced={coupon.checking !== null || coupon.unsure !== null || series.loading}
      alert={coupon.unsure !== null || coupon.lost !== null || coupon.unfit !== null}
      series={{ line, dates: series.chosen?.length ?? 1, totalCents: series.totalCents }}
      busy={busy}
      flat={flat}
      problem={problem ? <ProblemNotice problem={problem} busy={busy} holds={briefHolds} onAgree={book} /> : null}
      onBook={() => book(null)}
      onChange={forget}
    />
  );
}
