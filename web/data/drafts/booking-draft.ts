import { type CouponTerms, isDiscountType } from '#rules/coupon-discount.ts';
import { centsToDollars, dollarsToCents } from '#rules/money.ts';
import { deductCoupon, type Quote, quoteSlots, type Rates } from '#rules/pricing.ts';
import { type Slot, spanOf } from '#rules/slots.ts';
import { studioDate } from '#rules/studio-time.ts';
import type { BookingDraft } from '#web/lib/drafts.ts';
import type { OwnBooking } from '../own-bookings.ts';

/** A studio with its prices. */
export type PricedStudio = { readonly id: string; readonly name: string; readonly rates: Rates };

/** Turns a selection into the draft for checkout: times as instants, money in dollars, the coupon deducted. */
export function draftOf(
  studio: PricedStudio,
  slots: readonly Slot[],
  coupon: CouponTerms | null = null,
): BookingDraft {
  const quote = quoteSlots(slots, studio.rates, coupon);
  const span = spanOf(slots);
  return {
    studio_id: studio.id,
    studio_name: studio.name,
    start_time: span.start.toISOString(),
    end_time: span.end.toISOString(),
    total_hours: quote.hours,
    base_cost: centsToDollars(quote.baseCents),
    discount_amount: centsToDollars(quote.discountCents),
    final_cost: centsToDollars(quote.totalCents),
    ...(coupon === null ? {} : { coupon_code: coupon.code }),
    slots: quote.slots.map((slot) => ({
      hour: slot.hour,
      label: slot.label,
      date: slot.date,
      price: centsToDollars(slot.priceCents),
    })),
  };
}

/** Returns the price that a draft was made with, with another coupon deducted. The server compares it, so an amount that is missing costs nobody anything. */
export function quoteOfDraft(draft: BookingDraft, coupon: CouponTerms | null): Quote {
  const [baseCents, discountCents] = [centsOf(draft.base_cost), centsOf(draft.discount_amount)];
  const slots = draft.slots.map(({ price, ...slot }) => ({ ...slot, priceCents: centsOf(price) }));
  const discountPercent = baseCents === 0 ? 0 : Math.round((discountCents / baseCents) * 100);
  return deductCoupon({ hours: slots.length, slots, baseCents, discountPercent, discountCents }, coupon);
}

const centsOf = (dollars: number): number => dollarsToCents(dollars) ?? 0;

/** Turns an unpaid hold into a draft with its coupon and the price it was made with. Returns null when its hours are unknown. */
export function draftOfHold(hold: OwnBooking): BookingDraft | null {
  if (hold.slots === null) return null;
  const coupon = couponOf(hold);
  return {
    studio_id: hold.studio_id,
    studio_name: hold.studio_name,
    start_time: new Date(hold.start_time).toISOString(),
    end_time: new Date(hold.end_time).toISOString(),
    total_hours: hold.total_hours,
    base_cost: hold.base_cost,
    discount_amount: hold.volume_discount,
    final_cost: hold.final_cost,
    ...(coupon === null ? {} : { coupon_code: coupon.code }),
    slots: hold.slots.map(({ priceCents, ...slot }) => ({ ...slot, price: centsToDollars(priceCents) })),
    ...(hold.order === null
      ? {}
      : {
          series: hold.order.bookings.map((one) => ({
            date: studioDate(new Date(one.start_time)),
            start_time: one.start_time,
            end_time: one.end_time,
            total: one.final_cost,
          })),
        }),
  };
}

/** Returns the coupon of a hold with the terms from when the hold was made. */
export function couponOf(hold: OwnBooking): CouponTerms | null {
  const { coupon_code: code, coupon_type: discountType, coupon_value: discountValue } = hold;
  if (code === null || discountValue === null || !isDiscountType(discountType)) return null;
  return { code, discountType, discountValue };
}

/** Finds the hold of exactly these hours; null when there is none. */
export function holdOf(
  holds: readonly OwnBooking[],
  draft: { studio_id: string; start_time: string; end_time: string },
): OwnBooking | null {
  const same = (one: string, other: string): boolean => Date.parse(one) === Date.parse(other);
  return (
    holds.find(
      (one) =>
        one.studio_id === draft.studio_id &&
        same(one.start_time, draft.start_time) &&
        same(one.end_time, draft.end_time),
    ) ?? null
  );
}
