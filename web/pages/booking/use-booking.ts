import { useEffect, useEffectEvent } from 'react';
import { useBookNow } from '#web/features/book-now/use-book-now.ts';
import { useOpenHolds } from '#web/features/booking/use-availability.ts';
import { useChoice } from '#web/features/booking/use-choice.ts';
import { useCoupon } from '#web/features/coupons/use-coupon.ts';
import { beginHostedCheck } from '#web/features/identity/queries.ts';
import { useStudios } from '#web/features/studios/queries.ts';
import { useEligibility } from '#web/data/account/eligibility.ts';
import { createDraft, findHold } from '#web/data/drafts/booking-draft.ts';
import { useSeries } from '#web/data/finding/use-series.ts';
import { useSession } from '#web/data/session.tsx';
import { drafts } from '#web/lib/drafts.ts';
import { useBackAgain } from '#web/lib/use-back-again.ts';
import { useNow } from '#web/lib/use-now.ts';

export type Booking = ReturnType<typeof useBooking>;

/** Combines what the page shows: the selection, its coupon, the customer's holds, and Book Now. */
export function useBooking() {
  const { status, user } = useSession();
  const userId = user?.id ?? null;
  const now = useNow(15_000);
  const studios = useStudios();
  const eligibility = useEligibility(userId);
  const bookNow = useBookNow(userId, {
    onCouponLost: () => coupon.refuse(),
    lookAgain,
    beginCheck: beginHostedCheck,
  });
  const choice = useChoice({ status, userId, studios: studios.data, now, paused: bookNow.busy });
  const { studio, slots, hours } = choice;
  const { holds, loaded, refetch: lookForHolds } = useOpenHolds(userId, now);
  const held = studio && slots.length > 0 ? findHold(holds, createDraft(studio, slots)) : null;
  const coupon = useCoupon({
    slots,
    kept: userId === null ? null : drafts.couponCode(),
    held: loaded ? held && held.coupon : undefined,
    onChange: (next) => {
      drafts.saveCouponCode(next?.code ?? null);
      bookNow.forget();
    },
  });
  const series = useSeries({ studioId: studio?.id ?? null, slots, code: coupon.applied?.code ?? null });
  function lookAgain(): void {
    hours.refetch();
    lookForHolds();
    series.lookAgain();
    // Prices may have changed.
    void studios.refetch();
  }
  useBackAgain(lookAgain);
  const book = (agreed: number | null): void => {
    if (studio) drafts.saveLastBooked({ studioId: studio.id, slots });
    const { applied, wire, lost } = coupon;
    bookNow.book({ studio, slots, coupon: applied, wire, lost, series: series.chosen }, agreed);
  };
  const { busy, problem, forget } = bookNow;
  const settled = loaded && coupon.checking === null && coupon.unsure === null && coupon.lost === null;
  const bookNowWaits = choice.bookNowWaits && studio !== null && settled;
  const continueBookNow = useEffectEvent(() => {
    choice.endBookNowWait();
    book(null);
  });
  // Continue a Book Now that had to wait for the sign-in.
  useEffect(() => {
    if (bookNowWaits) continueBookNow();
  }, [bookNowWaits]);
  return {
    status,
    userId,
    now,
    studios: studios.data ?? [],
    failed: studios.isError,
    loading: studios.isPending,
    eligibility,
    choice,
    coupon,
    series,
    holds,
    busy,
    problem,
    book,
    forget,
    lookAgain,
  };
}
