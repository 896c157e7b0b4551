import type { CheckoutDetails } from '#contracts/bookings/create-payment.ts';
import type { CouponTerms } from '#rules/coupons.ts';
import type { Quote } from '#rules/pricing.ts';
import { DatabaseError, type Queryable } from '#server/db/database.ts';
import { callJson } from '../core/call-sql.ts';
import {
  type BookingFacts,
  type BookingJson,
  type PaymentFacts,
  type PaymentJson,
  toBooking,
  toPayment,
} from '../core/booking-rows.ts';
import { isBlocked } from '../core/blocked.ts';
import { failpoint } from '../core/failpoint.ts';
import { Refusal } from '../core/refusal.ts';
import { withTimeout } from '../core/timeout.ts';
import { confirmFree } from '../payments/confirm.ts';
import { readBookingRules } from '../settings/booking-rules.ts';
import { customerBlocked } from './checkout-facts.ts';
import { closeHold } from './close-hold.ts';
import { releaseInTheWay } from './release-expired.ts';
import { tooManyHolds, tooManyHours, type UnpaidHours } from '../core/too-many-holds.ts';
import type { Services } from '../core/services.ts';

/** The parameters of `private.hold_booking()`. */
export type HoldClaim = ClaimedSpan &
  CheckoutDetails & {
    readonly userId: string;
    readonly studioId: string;
    readonly studioName: string | undefined;
    /** The later bookings of a series. */
    readonly also: readonly ClaimedSpan[];
    readonly totalCents: number;
    readonly holdExpiresAt: Date;
    readonly sessionExpiresAt: Date;
    readonly couponTerms: CouponTerms | null;
    readonly idVerificationId: string;
    readonly termsVersion: string;
    readonly policy: { readonly freeCancelHours: number };
    readonly maxLiveHolds: number;
    readonly holdsPerHour: number;
  };

/** The hours and the price of one booking of a claim. */
export type ClaimedSpan = {
  readonly startTime: Date;
  readonly endTime: Date;
  readonly totalHours: number;
  readonly slots: Quote['slots'];
  readonly baseCostCents: number;
  readonly discountCents: number;
  readonly couponId: string | null;
  readonly couponDiscountCents: number;
  readonly finalCostCents: number;
};

/** What `private.hold_booking()` returns. */
type HoldOutcome =
  | { outcome: 'held'; booking: BookingJson; payment: PaymentJson }
  | { outcome: 'existing'; booking: BookingJson; payment: PaymentJson }
  | { outcome: 'replace'; bookingIds: string[] }
  | { outcome: 'taken'; expired: string[]; mine: string | null }
  | { outcome: 'too_many_holds'; holds: BookingJson[]; retryAt: string | null }
  | ({ outcome: 'too_many_hours' } & UnpaidHours);

/** Number of attempts at a claim. Other customers may take and release hours between attempts. */
const ROUNDS = 4;

/**
 * Holds all hours of a claim, or returns the caller's existing hold of them. First closes the caller's holds that it replaces, and releases
 * expired holds of these hours. Throws `Refusal`, or `ProviderError` if a hold of the caller cannot be closed.
 */
export async function claimSlot(
  services: Services,
  claim: HoldClaim,
  now: Date,
  timeLeft: () => number,
): Promise<{ booking: BookingFacts; payment: PaymentFacts }> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const outcome = await tryHold(services, claim, now);
    failpoint('hold.after.insert');
    switch (outcome.outcome) {
      case 'held':
      case 'existing':
        return { booking: toBooking(outcome.booking), payment: toPayment(outcome.payment) };
      case 'too_many_holds':
        throw tooManyHolds(outcome.holds.map(toBooking), outcome.retryAt, now);
      case 'too_many_hours':
        throw tooManyHours(outcome);
      case 'replace':
        await closeOwnHolds(services, outcome.bookingIds, timeLeft);
        continue;
      case 'taken':
        if (outcome.mine !== null)
          throw new Refusal('slot_taken', `You’ve already booked this time. Your reference is ${outcome.mine}.`);
        if (!(await releaseInTheWay(services, outcome.expired, timeLeft))) throw slotTaken();
    }
  }
  throw slotTaken();
}

/** Builds the refusal of hours that another booking has taken. */
export const slotTaken = (): Refusal =>
  new Refusal('slot_taken', 'Someone else just booked this time. Please choose another.');

async function tryHold(services: Services, claim: HoldClaim, now: Date): Promise<HoldOutcome> {
  const hold = (db: Queryable): Promise<HoldOutcome | null> =>
    callJson(db, 'hold_booking', { p: claim, p_now: now }, (json: HoldOutcome) => json);
  const free = claim.totalCents === 0;
  try {
    const outcome = free
      ? await services.db.transaction(async (tx) => {
          const held = await hold(tx);
          if (held?.outcome === 'held') await confirmFree(services, tx, held.booking.id);
          return held;
        })
      : await hold(services.db);
    if (outcome === null) throw new Error('hold_booking returned nothing');
    return outcome;
  } catch (error) {
    if (error instanceof DatabaseError && error.code === 'HC001')
      throw new Refusal('coupon_exhausted', 'This code has been fully used.');
    // Staff changed the rules of the coupon after it was checked.
    if (error instanceof DatabaseError && error.code === 'HC003') throw new Refusal('coupon_invalid', error.message);
    // Another customer took a slot while the caller's holds were being replaced. Those holds are unchanged.
    if (error instanceof DatabaseError && error.code === 'HC002') return { outcome: 'taken', expired: [], mine: null };
    return refuseHours(services.db, error);
  }
}

/**
 * Converts a constraint violation to the refusal for the customer: the room is closed, or staff have blocked the customer. Rethrows any
 * other error.
 */
export async function refuseHours(db: Queryable, error: unknown): Promise<never> {
  if (error instanceof DatabaseError && error.constraint === 'booking_not_closed')
    throw new Refusal('slot_closed', 'The studio is closed at this time. Please choose another.');
  if (isBlocked(error)) throw customerBlocked(await readBookingRules(db));
  throw error;
}

/** Closes the caller's holds one after another, so that the next round can replace them. */
async function closeOwnHolds(services: Services, bookingIds: readonly string[], timeLeft: () => number): Promise<void> {
  const closing = async (): Promise<true> => {
    for (const bookingId of bookingIds) await closeHold(services, bookingId);
    return true;
  };
  if (await withTimeout(services.log, timeLeft(), closing(), false)) return;
  throw new Refusal(
    'provider_unavailable',
    'We’re still waiting for the payment provider. Please try again in a moment.',
  );
}
