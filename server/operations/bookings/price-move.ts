import type { CouponTerms } from '#rules/coupons.ts';
import { balanceMove, type MovedBalance } from '#rules/business/move-balance.ts';
import { deductCoupon, type Quote, quoteSlots, volumeDiscountCents } from '#rules/pricing.ts';
import { type Slot, slotKey, toSpan } from '#rules/slots.ts';
import type { Transaction } from '#server/db/database.ts';
import type { BookingFacts } from '../core/booking-rows.ts';
import { readRates } from './price.ts';

/** The quote for a booking's new hours, with its balance after the move. */
export type MovedPrice = MovedBalance & { readonly quote: Quote };

/**
 * Prices new hours of a booking as of now, with the booking's coupon. Hours that the booking keeps cost what they did before. An amount
 * that staff waived stays waived, and a free booking stays free.
 * `asCustomer`: new hours of a free booking cost money, and the coupon applies only if it allows these hours and their number. `waive`: a
 * higher price is waived.
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
  const { start, end } = toSpan(slots);
  const row = await tx.queryRow<{ coupon: CouponTerms | null }>(
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

/** Keeps the original price of the hours that the booking already has. */
function keepQuoted(priced: Quote, booking: BookingFacts, coupon: CouponTerms | null): Quote {
  const quoted = new Map(booking.slots.map((slot) => [slotKey(slot), slot.priceCents]));
  const slots = priced.slots.map((slot) => ({ ...slot, priceCents: quoted.get(slotKey(slot)) ?? slot.priceCents }));
  const baseCents = slots.reduce((sum, { priceCents }) => sum + priceCents, 0);
  const discountCents = volumeDiscountCents(baseCents, priced.discountPercent);
  return deductCoupon({ ...priced, slots, baseCents, discountCents }, coupon);
}
