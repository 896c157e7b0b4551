import type { CouponTerms } from '#rules/coupons.ts';
import { balanceMove, type MovedBalance } from '#rules/business/move-balance.ts';
import { deductCoupon, type Quote, quoteSlots, volumeDiscountCents } from '#rules/pricing.ts';
import { type Slot, slotKey, spanOf } from '#rules/slots.ts';
import type { Transaction } from '#server/db/database.ts';
import type { BookingFacts } from '../core/booking-rows.ts';
import { readRates } from './price.ts';

/** The quote of the new hours of a booking, with its balance after the move. */
export type MovedPrice = MovedBalance & { readonly quote: Quote };

/**
 * Prices other hours of a booking as of now, with its coupon; hours that it keeps cost what they did. What staff waived stays waived, and a free
 * booking stays free.
 * `asCustomer`: other hours of a free booking are paid, and its coupon counts only for hours and a length that it is for. `waive`: dearer hours cost
 * no more than was paid.
 */
export async function priceMove(
  tx: Transaction,
  booking: BookingFacts,
  {
    studioId,
    slots,
    asCustomer,
    waive,
  }: {
    readonly studioId: string;
    readonly slots: readonly Slot[];
    readonly asCustomer: boolean;
    readonly waive: boolean;
  },
): Promise<MovedPrice> {
  const { start, end } = spanOf(slots);
  const row = await tx.one<{ coupon: CouponTerms | null }>(
    `select case when $2 and exists (select from public.discount_codes d
         where d.id = b.coupon_id and (d.min_hours > $3::numeric or private.coupon_misses_hours(d, $4::timestamptz, $5::timestamptz)))
       then null else b.coupon_terms end as coupon
     from private.booking b where b.id = $1::uuid`,
    [booking.id, asCustomer, slots.length, start, end],
  );
  const coupon = row?.coupon ?? null;
  const priced = quoteSlots(slots, await readRates(tx, studioId, slots), coupon);
  const quote = studioId === booking.studioId ? keepQuoted(priced, booking, coupon) : priced;
  const { finalCostCents: finalCents, waivedCents, owedCents } = booking;
  const isFree = !asCustomer && finalCents === 0 && owedCents >= 0 && waivedCents > owedCents;
  const balance = balanceMove({ finalCents, waivedCents, owedCents }, quote.totalCents, { waive: waive || isFree });
  return { quote, ...balance, ...(isFree && { differenceCents: 0 }) };
}

/** Gives the hours that the booking has already the price at which it was made. */
function keepQuoted(priced: Quote, booking: BookingFacts, coupon: CouponTerms | null): Quote {
  const quoted = new Map(booking.slots.map((slot) => [slotKey(slot), slot.priceCents]));
  const slots = priced.slots.map((slot) => ({ ...slot, priceCents: quoted.get(slotKey(slot)) ?? slot.priceCents }));
  const baseCents = slots.reduce((sum, { priceCents }) => sum + priceCents, 0);
  const discountCents = volumeDiscountCents(baseCents, priced.discountPercent);
  return deductCoupon({ ...priced, slots, baseCents, discountCents }, coupon);
}
