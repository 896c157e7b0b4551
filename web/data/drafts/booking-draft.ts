import type { CouponTerms } from '#rules/coupon-discount.ts';
import { centsToDollars, dollarsToCents } from '#rules/money.ts';
import { deductCoupon, type Quote, quoteSlots, type Rates } from '#rules/pricing.ts';
import { type Slot, toSpan } from '#rules/slots.ts';
import { studioDate } from '#rules/studio-time.ts';
import type { BookingDraft } from '#web/lib/drafts.ts';
import type { OwnBooking } from '../bookings/booking.ts';

export type PricedStudio = { readonly id: string; readonly name: string; readonly rates: Rates };

/** Converts a selection to a draft for the checkout. Times are instants, money is in dollars, and the coupon is deducted. */
export function createDraft(
  studio: PricedStudio,
  slots: readonly Slot[],
  coupon: CouponTerms | null = null,
): BookingDraft {
  const quote = quoteSlots(slots, studio.rates, coupon);
  const { start: startTime, end: endTime } = toSpan(slots);
  const { hours: totalHours, baseCents, discountCents, totalCents: finalCents } = quote;
  const price = { totalHours, baseCents, discountCents, finalCents };
  return toDraft({ studioId: studio.id, studioName: studio.name, startTime, endTime, ...price }, quote.slots, coupon);
}

function toDraft(
  booking: Pick<
    OwnBooking,
    'studioId' | 'studioName' | 'startTime' | 'endTime' | 'totalHours' | 'baseCents' | 'discountCents' | 'finalCents'
  >,
  slots: Quote['slots'],
  coupon: CouponTerms | null,
): BookingDraft {
  return {
    studio_id: booking.studioId,
    studio_name: booking.studioName,
    start_time: booking.startTime.toISOString(),
    end_time: booking.endTime.toISOString(),
    total_hours: booking.totalHours,
    base_cost: centsToDollars(booking.baseCents),
    discount_amount: centsToDollars(booking.discountCents),
    final_cost: centsToDollars(booking.finalCents),
    ...(coupon === null ? {} : { coupon_code: coupon.code }),
    slots: slots.map(({ priceCents, ...slot }) => ({ ...slot, price: centsToDollars(priceCents) })),
  };
}

/**
 * Returns the price at which a draft was made, with another coupon deducted. The server compares the price with its own, so a missing
 * amount does not cost the customer anything.
 */
export function quoteOfDraft(draft: BookingDraft, coupon: CouponTerms | null): Quote {
  const [baseCents, discountCents] = [toCents(draft.base_cost), toCents(draft.discount_amount)];
  const slots = draft.slots.map(({ price, ...slot }) => ({ ...slot, priceCents: toCents(price) }));
  const discountPercent = baseCents === 0 ? 0 : Math.round((discountCents / baseCents) * 100);
  return deductCoupon({ hours: slots.length, slots, baseCents, discountPercent, discountCents }, coupon);
}

const toCents = (dollars: number): number => dollarsToCents(dollars) ?? 0;

/** Converts an unpaid hold to a draft with its coupon and the price at which it was made. Null if its hours are unknown. */
export function draftOfHold(hold: OwnBooking): BookingDraft | null {
  if (hold.slots === null) return null;
  return {
    ...toDraft(hold, hold.slots, hold.coupon),
    ...(hold.series === null
      ? {}
      : {
          series: hold.series.bookings.map(({ startTime, endTime, finalCents }) => ({
            date: studioDate(startTime),
            start_time: startTime.toISOString(),
            end_time: endTime.toISOString(),
            total: centsToDollars(finalCents),
          })),
        }),
  };
}

/** Finds the hold of exactly these hours; null if there is none. */
export function findHold(
  holds: readonly OwnBooking[],
  draft: { studio_id: string; start_time: string; end_time: string },
): OwnBooking | null {
  const [start, end] = [Date.parse(draft.start_time), Date.parse(draft.end_time)];
  return (
    holds.find(
      ({ studioId, startTime, endTime }) =>
        studioId === draft.studio_id && startTime.getTime() === start && endTime.getTime() === end,
    ) ?? null
  );
}
