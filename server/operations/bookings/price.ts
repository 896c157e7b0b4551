import type { CouponTerms } from '#rules/coupons.ts';
import { quoteSlots, type Quote, type Rates } from '#rules/pricing.ts';
import { type Slot, slotClosed, slotsOfSpan } from '#rules/slots.ts';
import { constants as studio } from '#rules/venue.ts';
import { callJson } from '../core/call-sql.ts';
import { type BookingFacts, type BookingJson, toBooking } from '../core/booking-rows.ts';
import { Refusal } from '../core/refusal.ts';
import type { BookingRules } from '../settings/booking-rules.ts';
import type { CheckoutFacts, EnteredCoupon } from './checkout-facts.ts';
import type { Services } from '../core/services.ts';
import type { Queryable } from '#server/db/database.ts';

export type Span = { readonly startTime: Date; readonly endTime: Date };

/** The price of a hold, including the coupon it uses. `couponId` is null without one. */
export type Price = {
  readonly quote: Quote;
  readonly couponId: string | null;
  readonly coupon: CouponTerms | null;
};

/** The caller's unpaid hold of exactly these hours, with its price. */
export type OwnHold = {
  readonly booking: BookingFacts;
  readonly couponId: string | null;
  readonly coupon: CouponTerms | null;
  readonly payable: boolean;
};

/** What `private.own_hold()` returns. */
type OwnHoldJson = Omit<OwnHold, 'booking'> & { readonly booking: BookingJson };

/** Reads the caller's hold of these hours; null if there is none. */
export function readOwnHold(
  { db }: Services,
  request: Span & { readonly userId: string; readonly studioId: string },
): Promise<OwnHold | null> {
  return callJson(
    db,
    'own_hold',
    { p_user: request.userId, p_studio: request.studioId, p_start: request.startTime, p_end: request.endTime },
    (json: OwnHoldJson): OwnHold => ({ ...json, booking: toBooking(json.booking) }),
  );
}

/** Returns the slots of the requested hours. Throws `Refusal` unless the hours begin and end on the hour and do not exceed the limit. */
export function readSpan(request: Span): Slot[] {
  // 24 slots span up to 25 hours when the clocks go back.
  const hours = (request.endTime.getTime() - request.startTime.getTime()) / 3_600_000;
  if (hours > studio.maxHours + 1) throw tooLong();
  const slots = slotsOfSpan(request.startTime, request.endTime);
  if (!slots || slots.length === 0)
    throw new Refusal('invalid_request', 'Bookings start and end on the hour, Sydney time.');
  if (slots.length > studio.maxHours) throw tooLong();
  return slots;
}

const tooLong = (): Refusal => new Refusal('invalid_request', `A booking can be up to ${studio.maxHours} hours long.`);

/** Returns the frozen price of the caller's hold, if it can still be paid with the same code. The code was checked when the hold was made. */
export function frozenPrice(own: OwnHold | null, code: string | null, now: Date): Price | null {
  if (!own?.payable || own.booking.holdExpiresAt === null || own.booking.holdExpiresAt <= now) return null;
  if ((own.coupon?.code ?? '') !== (code ?? '').trim().toUpperCase()) return null;
  return { quote: quoteOfBooking(own.booking), couponId: own.couponId, coupon: own.coupon };
}

/** Returns a booking's frozen price as a quote. */
export function quoteOfBooking(booking: BookingFacts): Quote {
  const subtotalCents = booking.baseCostCents - booking.discountCents;
  return {
    hours: Number(booking.totalHours),
    slots: booking.slots,
    baseCents: booking.baseCostCents,
    discountPercent:
      booking.baseCostCents === 0 ? 0 : Math.round((booking.discountCents / booking.baseCostCents) * 100),
    discountCents: booking.discountCents,
    subtotalCents,
    couponDiscountCents: booking.couponDiscountCents,
    totalCents: booking.finalCostCents,
  };
}

/** Reads the prices of a studio for the days of these slots. Throws `Refusal` if the studio does not exist. */
export async function readRates(db: Queryable, studioId: string, slots: readonly Slot[]): Promise<Rates> {
  const row = await db.queryRow<{ rates: Rates }>(
    `select private.rates_json(s.id, $2::date, $3::date) as rates from public.studios s where s.id = $1::uuid`,
    [studioId, slots[0]?.date, slots.at(-1)?.date],
  );
  if (!row) throw new Refusal('not_found', 'Studio not found');
  return row.rates;
}

/** Prices the slots as of now. Throws `Refusal` for a slot that is closed or a coupon that cannot be used. */
export function newPrice(
  slots: readonly Slot[],
  { rates, rules, coupon: entered }: Pick<CheckoutFacts, 'rates' | 'rules' | 'coupon'>,
  now: Date,
): Price {
  requireOpen(slots, now, rules);
  const coupon = entered && usableTerms(entered);
  return { quote: quoteSlots(slots, rates, coupon), couponId: entered?.id ?? null, coupon };
}

/** Throws `Refusal` for a slot that is in the past or after the last day that can be booked. */
export function requireOpen(
  slots: readonly Slot[],
  now: Date,
  { horizonDays }: Pick<BookingRules, 'horizonDays'>,
): void {
  for (const slot of slots) {
    const closed = slotClosed(slot, now, horizonDays);
    if (closed === 'past') throw new Refusal('slot_closed', 'This time can no longer be booked.');
    if (closed) throw new Refusal('slot_closed', 'This time can’t be booked.');
  }
}

function usableTerms({ code, discountType, discountValue, problem, problemCode }: EnteredCoupon): CouponTerms {
  if (problem === null) return { code, discountType, discountValue };
  const exhausted = problemCode === 'fully_used' || problemCode === 'used_before';
  throw new Refusal(exhausted ? 'coupon_exhausted' : 'coupon_invalid', problem);
}
