import type { CheckoutDetails } from '#contracts/bookings/create-payment.ts';
import { centsToDollars } from '#rules/money.ts';
import type { StudioDate } from '#rules/studio-time.ts';
import { startDeadline, withTimeout } from '../core/timeout.ts';
import { resolveHoldMinutes } from '../settings/booking-rules.ts';
import { Refusal } from '../core/refusal.ts';
import { leaveOut } from '../core/taken-hours.ts';
import { openSession } from '../payments/open-session.ts';
import { sessionExpiry } from '../payments/session-expiry.ts';
import { type CheckoutFacts, requireEligible } from './checkout-facts.ts';
import { claimSlot, type ClaimedSpan, type HoldClaim } from './claim-slot.ts';
import { countCouponGuess } from './count-coupon-guess.ts';
import { readOwnHold } from './price.ts';
import { frozenPrices, newPrices, type PricedSpan, readSpanFacts, getSpans, type SpanSlots } from './price-spans.ts';
import { readInTheWay } from './quote-series.ts';
import type { Services } from '../core/services.ts';

export type HoldRequest = {
  readonly userId: string;
  /** IP address of the caller, for the limit on coupon guesses. With '' only the account is counted. */
  readonly ip: string;
  readonly email: string;
  readonly studioId: string;
  readonly startTime: Date;
  readonly endTime: Date;
  /** The Sydney dates on which the same hours are booked as a series, starting with the first; null for a single booking. */
  readonly series: readonly StudioDate[] | null;
  /** '' for no coupon; null keeps the coupon of the caller's existing hold of these hours. */
  readonly couponCode: string | null;
  readonly details: CheckoutDetails;
  readonly termsAccepted: boolean;
  /** The version of the terms that the customer was shown and accepts; null for the current one. */
  readonly termsVersion: string | null;
  /** The total on the customer's screen, in cents; null if it showed none. */
  readonly shownTotalCents: number | null;
};

/**
 * `url`: the pay page, or the result page of a free booking; null while the provider has not answered. For a series, the booking and
 * reference are those of its first booking.
 */
export type HoldResult = {
  readonly bookingId: string;
  readonly reference: string;
  readonly url: string | null;
  readonly totalCents: number;
};

/**
 * Checks, prices and holds a span of hours, or a series of them, and opens its payment session. A repeated call returns the same session.
 * Throws `Refusal`, or `ProviderError` if a hold of the caller cannot be replaced because the provider does not answer.
 */
export async function holdBooking(services: Services, request: HoldRequest): Promise<HoldResult> {
  const now = services.clock();
  const timeLeft = startDeadline(services.config.answerWithinMs);
  const spans = getSpans(request);
  const own = await Promise.all(spans.map((span) => readOwnHold(services, { ...request, ...span })));
  const ownCode = own.find((hold) => hold?.coupon)?.coupon?.code ?? null;
  const code = request.couponCode ?? ownCode;
  // Entering the code of one's own hold again is not a guess.
  if (request.couponCode && request.couponCode.toUpperCase() !== ownCode?.toUpperCase())
    await countCouponGuess(services, request.userId, request.ip);
  const couponCode = code === '' ? null : code;
  const facts = await readSpanFacts(services, { ...request, code: couponCode }, spans, now);
  const [first, last] = [facts[0], spans.at(-1)];
  if (first === undefined || last === undefined) throw new Error('a request has at least one span');
  const verificationId = requireEligible({ ...request, endTime: last.endTime }, first, now);
  const priced =
    frozenPrices(spans, own, code, now) ??
    (await newPrices(services, { userId: request.userId, code: couponCode }, { spans, facts }, now));
  const totalCents = priced.reduce((sum, { price }) => sum + price.quote.totalCents, 0);
  requireShownPrice(request, totalCents, priced);
  const claim = buildClaim(services, request, { facts: first, priced, verificationId, totalCents, now });
  const held = await claimSlot(services, claim, now, timeLeft).catch((error: unknown) =>
    nameDates(services, request, spans, error),
  );
  // A caller whose wait times out gets no URL and asks again.
  const opening = services.openings(held.payment.id, () =>
    openSession(services, held.booking, held.payment, { email: request.email, hours: held.booking.totalHours }),
  );
  return {
    bookingId: held.booking.id,
    reference: held.booking.reference,
    url: await withTimeout(services.log, timeLeft(), opening, null),
    totalCents,
  };
}

function requireShownPrice({ shownTotalCents }: HoldRequest, totalCents: number, priced: readonly PricedSpan[]): void {
  if (shownTotalCents === null || shownTotalCents === totalCents) return;
  throw new Refusal('price_changed', 'The price of this booking has changed. Please check the new total.', {
    total: centsToDollars(totalCents),
    couponCode: priced.find(({ price }) => price.coupon)?.price.coupon?.code ?? null,
  });
}

/** Always throws: a `Refusal` with the dates of a series whose hours are taken or closed, or the given error if it is another one. */
export async function nameDates(
  services: Services,
  { series, studioId, userId }: { series: HoldRequest['series']; studioId: string; userId: string | null },
  spans: readonly SpanSlots[],
  error: unknown,
): Promise<never> {
  if (series === null || !(error instanceof Refusal) || (error.code !== 'slot_taken' && error.code !== 'slot_closed'))
    throw error;
  const problems = await readInTheWay(services, { studioId, userId }, spans, services.clock());
  const dates = series.filter((_, index) => problems[index] !== null);
  if (dates.length === 0) throw error;
  throw new Refusal(error.code, leaveOut(dates), { dates });
}

/** Builds the parameters of `private.hold_booking()`. */
function buildClaim(
  { config }: Services,
  request: HoldRequest,
  {
    facts,
    priced,
    verificationId,
    totalCents,
    now,
  }: {
    facts: CheckoutFacts;
    priced: readonly PricedSpan[];
    verificationId: string;
    totalCents: number;
    now: Date;
  },
): HoldClaim {
  const { rules } = facts;
  const [first, ...also] = priced.map(claimedSpan);
  if (first === undefined) throw new Error('a request has at least one span');
  const holdExpiresAt = new Date(now.getTime() + resolveHoldMinutes(config, rules) * 60_000);
  return {
    ...request.details,
    userId: request.userId,
    studioId: request.studioId,
    studioName: facts.studio?.name,
    ...first,
    also,
    totalCents,
    holdExpiresAt,
    sessionExpiresAt: sessionExpiry(now, holdExpiresAt, config.sessionMinutes),
    couponTerms: priced.find(({ price }) => price.coupon)?.price.coupon ?? null,
    idVerificationId: verificationId,
    termsVersion: rules.termsVersion,
    policy: { freeCancelHours: rules.freeCancelHours },
    maxLiveHolds: rules.maxLiveHolds * config.limitFactor,
    holdsPerHour: rules.holdsPerHour * config.limitFactor,
  };
}

const claimedSpan = ({ startTime, endTime, price: { quote, couponId } }: PricedSpan): ClaimedSpan => ({
  startTime,
  endTime,
  totalHours: quote.hours,
  slots: quote.slots,
  baseCostCents: quote.baseCents,
  discountCents: quote.discountCents,
  couponId,
  couponDiscountCents: quote.couponDiscountCents,
  finalCostCents: quote.totalCents,
});
