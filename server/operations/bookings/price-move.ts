import type { CouponTerms } from '#rules/coupons.ts';
import { deductCoupon, type Quote, quoteSlots, volumeDiscountCents } from '#rules/pricing.ts';
import { type Slot, slotKey, spanOf } from '#rules/slots.ts';
import type { Transaction } from '#server/db/database.ts';
import type { BookingFacts } from '../core/booking-rows.ts';
import { readRates } from './price.ts';

/**
 * What the new hours of a booking cost. `differenceCents`: more than before, or less than zero. `finalCents` and `waivedCents`: what the customer
 * pays, and what is waived, when nothing more is paid.
 */
export type MovedPrice = {
  readonly quote: Quote;
  readonly differenceCents: number;
  readonly finalCents: number;
  readonly waivedCents: number;
};

/**
 * Prices other hours of a booking as of now, with its coupon; hours that it keeps cost what they did. The customer never pays more than
 * before: what staff waived stays waived, and a free booking stays free.
 * `byCustomer`: other hours of a free booking are paid, and its coupon counts only for hours and a length that it is for.
 */
export async function priceMove(
  tx: Pick<Transaction, 'one'>,
  booking: BookingFacts,
  studioId: string,
  slots: readonly Slot[],
  byCustomer: boolean,
): Promise<MovedPrice> {
  const { start, end } = spanOf(slots);
  const row = await tx.one<{ coupon: CouponTerms | null }>(
    `select case when $2 and exists (select from public.discount_codes d
         where d.id = b.coupon_id and (d.min_hours > $3::numeric or private.coupon_misses_hours(d, $4::timestamptz, $5::timestamptz)))
       then null else b.coupon_terms end as coupon
     from private.booking b where b.id = $1::uuid`,
    [booking.id, byCustomer, slots.length, start, end],
  );
  const coupon = row?.coupon ?? null;
  const priced = quoteSlots(slots, await readRates({ db: tx }, studioId, slots), coupon);
  const quote = studioId === booking.studioId ? keepQuoted(priced, booking, coupon) : priced;
  const before = booking.finalCostCents;
  const finalCents = Math.min(quote.totalCents, before);
  const waivedCents = quote.totalCents - finalCents;
  const isFree = !byCustomer && before === 0 && booking.waivedCents > 0;
  const more = isFree ? 0 : Math.max(0, waivedCents - booking.waivedCents);
  return { quote, finalCents, waivedCents, differenceCents: finalCents < before ? finalCents - before : more };
}

/** Gives the hours that the booking has already the price at which it was made. */
function keepQuoted(priced: Quote, booking: BookingFacts, coupon: CouponTerms | null): Quote {
  const quoted = new Map(booking.slots.map((slot) => [slotKey(slot), slot.priceCents]));
  const slots = priced.slots.map((slot) => ({ ...slot, priceCents: quoted.get(slotKey(slot)) ?? slot.priceCents }));
  const baseCents = slots.reduce((sum, { priceCents }) => sum + priceCents, 0);
  const discountCents = volumeDiscountCents(baseCents, priced.discountPercent);
  return deductCoupon({ ...priced, slots, baseCents, discountCents }, coupon);
}
