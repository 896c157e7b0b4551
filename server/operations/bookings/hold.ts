import { centsToDollars } from '#rules/money.ts';
import { settings as studio } from '#rules/venue.ts';
import { startDeadline, withTimeout } from '../core/timeout.ts';
import { Refusal } from '../core/refusal.ts';
import { openSession } from '../payments/open-session.ts';
import { sessionExpiry } from '../payments/session-expiry.ts';
import { type CheckoutFacts, readCheckoutFacts, requireEligible } from './checkout-facts.ts';
import { claimSlot, type HoldClaim } from './claim-slot.ts';
import type { BookingContext } from './context.ts';
import { countCouponGuess } from './count-coupon-guess.ts';
import { frozenPrice, newPrice, type Price, readOwnHold, readSpan } from './price.ts';

export type HoldRequest = {
  readonly userId: string;
  /** IP address of the caller, for the limit on coupon guesses; '' counts the account only. */
  readonly ip: string;
  readonly email: string;
  readonly studioId: string;
  readonly startTime: Date;
  readonly endTime: Date;
  /** '' for no coupon; null keeps the coupon of the caller's own hold of these hours. */
  readonly couponCode: string | null;
  /** As `storedPhone` writes it; null when none was given. */
  readonly contactPhone: string | null;
  readonly termsAccepted: boolean;
  /** The version of the terms that the customer was shown and accepts; null: the current one. */
  readonly termsVersion: string | null;
  /** The total on the customer's screen, in cents; null when it showed none. */
  readonly shownTotalCents: number | null;
};

/** `url`: the pay page, or the result page of a free booking; null while the provider has not answered. */
export type HoldResult = {
  readonly bookingId: string;
  readonly reference: string;
  readonly url: string | null;
  readonly totalCents: number;
};

/**
 * Prices, checks and holds a span of hours, and opens its payment session. A repeated call returns the same session. Throws `Refusal`,
 * or `ProviderError` when an own hold cannot be replaced because the provider does not answer.
 */
export async function holdBooking(context: BookingContext, request: HoldRequest): Promise<HoldResult> {
  const now = context.clock();
  const timeLeft = startDeadline(context.settings.answerWithinMs);
  const slots = readSpan(request);
  const own = await readOwnHold(context, request);
  const code = request.couponCode ?? own?.coupon?.code ?? null;
  // Sending the code of an own hold again is not a guess.
  if (request.couponCode && request.couponCode.toUpperCase() !== own?.coupon?.code.toUpperCase())
    await countCouponGuess(context, request.userId, request.ip);
  const facts = await readCheckoutFacts(context, request, code === '' ? null : code, slots, now);
  const verificationId = requireEligible(request, facts, now);
  const price = frozenPrice(own, code, now) ?? newPrice(slots, facts, now);
  requireShownPrice(request, price);
  const claim = claimOf(context, request, facts, price, verificationId, now);
  const held = await claimSlot(context, claim, now, timeLeft);
  // A caller that waits too long gets no URL and asks again.
  const opening = context.openings(held.payment.id, () =>
    openSession(context, held.booking, held.payment, { email: request.email, hours: price.quote.hours }),
  );
  return {
    bookingId: held.booking.id,
    reference: held.booking.reference,
    url: await withTimeout(context.log, timeLeft(), opening, null),
    totalCents: held.booking.finalCostCents,
  };
}

function requireShownPrice({ shownTotalCents }: HoldRequest, { quote, coupon }: Price): void {
  if (shownTotalCents === null || shownTotalCents === quote.totalCents) return;
  throw new Refusal('price_changed', 'The price of this booking has changed. Please check the new total.', {
    total: centsToDollars(quote.totalCents),
    couponCode: coupon?.code ?? null,
  });
}

/** Builds the parameters of `private.hold_booking()`. */
function claimOf(
  { settings }: BookingContext,
  request: HoldRequest,
  facts: CheckoutFacts,
  { quote, couponId, coupon }: Price,
  verificationId: string,
  now: Date,
): HoldClaim {
  const { rules } = facts;
  const holdExpiresAt = new Date(now.getTime() + (settings.holdMinutes ?? rules.holdMinutes) * 60_000);
  return {
    userId: request.userId,
    studioId: request.studioId,
    studioName: facts.studio?.name,
    startTime: request.startTime,
    endTime: request.endTime,
    holdExpiresAt,
    sessionExpiresAt: sessionExpiry(now, holdExpiresAt, settings.sessionMinutes),
    totalHours: quote.hours,
    slots: quote.slots,
    baseCostCents: quote.baseCents,
    discountCents: quote.discountCents,
    couponId,
    couponTerms: coupon,
    couponDiscountCents: quote.couponDiscountCents,
    finalCostCents: quote.totalCents,
    idVerificationId: verificationId,
    termsVersion: rules.termsVersion,
    contactPhone: request.contactPhone,
    policy: { freeCancelHours: rules.freeCancelHours },
    maxLiveHolds: studio.maxLiveHolds * settings.limitFactor,
    holdsPerHour: studio.holdsPerHour * settings.limitFactor,
  };
}
