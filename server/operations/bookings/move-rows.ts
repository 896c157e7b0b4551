import type { CouponTerms } from '#rules/coupons.ts';
import { deductCoupon, type Quote, quoteSlots, volumeDiscountCents } from '#rules/pricing.ts';
import { type Slot, slotKey } from '#rules/slots.ts';
import type { Transaction } from '#server/db/database.ts';
import type { BookingFacts } from '../core/booking-rows.ts';
import { Refusal } from '../core/refusal.ts';
import { readRates } from './price.ts';

/** What the new hours of a booking cost. `differenceCents`: more than before, or less than zero; `finalCents`: what the customer pays. */
export type MovedPrice = {
  readonly quote: Quote;
  readonly differenceCents: number;
  readonly finalCents: number;
  readonly waivedCents: number;
};

/**
 * Prices other hours of a booking as of now, with its coupon; hours that it keeps cost what they did. The customer never pays more than
 * before: what staff waived stays waived, and a free booking stays free.
 */
export async function priceMove(
  tx: Pick<Transaction, 'one'>,
  booking: BookingFacts,
  studioId: string,
  slots: readonly Slot[],
): Promise<MovedPrice> {
  const row = await tx.one<{ coupon: CouponTerms | null }>(
    'select coupon_terms as coupon from private.booking where id = $1::uuid',
    [booking.id],
  );
  const coupon = row?.coupon ?? null;
  const priced = quoteSlots(slots, await readRates({ db: tx }, studioId, slots), coupon);
  const quote = studioId === booking.studioId ? keepQuoted(priced, booking, coupon) : priced;
  const before = booking.finalCostCents;
  const finalCents = Math.min(quote.totalCents, before);
  const waivedCents = quote.totalCents - finalCents;
  const isFree = before === 0 && booking.waivedCents > 0;
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

/** Writes a move and its audit entry, and gives the booking its new hours and price. Throws `Refusal` for an unknown studio. */
export async function storeMove(
  tx: Transaction,
  booking: BookingFacts,
  wanted: { studioId: string; startTime: Date; endTime: Date; actor: string },
  move: MovedPrice & { number: number; refundCents: number; now: Date },
): Promise<void> {
  const { quote, finalCents, waivedCents, differenceCents, refundCents, number, now } = move;
  const { studioId, startTime, endTime, actor } = wanted;
  const studio = await tx.one<{ name: string }>(
    `select s.name from public.studios s where s.id = $1::uuid and (s.active or s.id = $2::uuid)`,
    [studioId, booking.studioId],
  );
  if (!studio) throw new Refusal('not_found', 'Studio not found');
  await tx.query(
    `insert into private.booking_move (booking_id, number, from_studio_id, from_start_time, from_end_time, studio_id, start_time, end_time,
       final_cost_cents, difference_cents, refund_cents, last_code, actor, created_at)
     select b.id, $2::int, b.studio_id, b.start_time, b.end_time, $3::uuid, $4::timestamptz, $5::timestamptz, $6::int, $7::int, $8::int,
       coalesce((select max(c.attempt) from public.booking_access_codes c where c.booking_id = b.id), 0), $9::uuid, $10::timestamptz
     from private.booking b where b.id = $1::uuid`,
    [booking.id, number, studioId, startTime, endTime, finalCents, differenceCents, refundCents, actor, now],
  );
  await tx.query(
    `update private.booking set studio_id = $2::uuid, studio_name = $3, start_time = $4::timestamptz, end_time = $5::timestamptz,
       total_hours = $6::numeric, slots = $7::jsonb -> 'slots', base_cost_cents = $8::int, discount_cents = $9::int,
       coupon_discount_cents = $10::int, waived_cents = $11::int, final_cost_cents = $12::int, moves = $13::int
     where id = $1::uuid`,
    [
      booking.id,
      studioId,
      studio.name,
      startTime,
      endTime,
      quote.hours,
      { slots: quote.slots },
      quote.baseCents,
      quote.discountCents,
      quote.couponDiscountCents,
      waivedCents,
      finalCents,
      number,
    ],
  );
  const { studioId: fromStudio, startTime: from, endTime: until, finalCostCents, waivedCents: waivedBefore } = booking;
  await tx.query(`select private.audit($2::uuid, 'update', 'booking', $1, $3::jsonb)`, [
    booking.id,
    actor,
    {
      before: {
        studioId: fromStudio,
        startTime: from,
        endTime: until,
        finalCostCents,
        waivedCents: waivedBefore,
      },
      after: { studioId, startTime, endTime, finalCostCents: finalCents, waivedCents },
      differenceCents,
      refundCents,
    },
  ]);
}
