import { type CouponTerms, isDiscountType } from '#rules/coupon-discount.ts';
import { centsToDollars } from '#rules/money.ts';
import { quoteSlots } from '#rules/pricing.ts';
import { type Slot, slotsOfSpan, spanOf } from '#rules/slots.ts';
import type { BookingDraft } from '#web/lib/drafts.ts';
import type { OwnBooking } from './own-bookings.ts';

/** Turns a selection into the draft for checkout: times as instants, money in dollars, the coupon deducted. */
export function draftOf(
  studio: { id: string; name: string },
  slots: readonly Slot[],
  coupon: CouponTerms | null = null,
): BookingDraft {
  const quote = quoteSlots(slots, coupon);
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

/** Turns an unpaid hold into a draft with its coupon and its price. Returns null when its hours do not fit the grid. */
export function draftOfHold(hold: OwnBooking): BookingDraft | null {
  const span = slotsOfSpan(new Date(hold.start_time), new Date(hold.end_time));
  if (span === null) return null;
  const draft = draftOf({ id: hold.studio_id, name: hold.studio_name }, span, couponOf(hold));
  return { ...draft, final_cost: hold.final_cost };
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
