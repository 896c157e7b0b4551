import type { CouponTerms } from '#rules/coupon-discount.ts';
import type { Slot } from '#rules/slots.ts';
import { centsToDollars } from '#rules/money.ts';
import { formatStudioTime } from '#rules/studio-time.ts';
import { findPaymentRefusal } from '#web/data/bookings/payment-refusals.ts';
import { createDraft, type PricedStudio } from '#web/data/drafts/booking-draft.ts';
import { seriesCents } from '#web/data/finding/series.ts';
import { type BookingDraft, type DraftDate, drafts } from '#web/lib/drafts.ts';
import { describeError, errorNumber } from '#web/lib/errors.ts';
import { priceChanged } from '#web/lib/business/price-changed.ts';

/** Hours and coupon to book. `wire`: see `CouponState`. `lost`: an earlier code that no longer works, and why. */
export type BookingRequest = {
  readonly studio: PricedStudio | null;
  readonly slots: readonly Slot[];
  readonly coupon: CouponTerms | null;
  readonly wire: string | null;
  readonly lost: { readonly code: string; readonly message: string } | null;
  /** All dates of a weekly series; null for a single booking. */
  readonly series: readonly DraftDate[] | null;
};

/** The data that Book Now sends. `shown`: the price in dollars to which the customer agrees; `full`: the price without a coupon. */
export type Order = {
  readonly draft: BookingDraft;
  readonly wire: string | null;
  readonly hasCoupon: boolean;
  readonly shown: number;
  readonly full: number;
};

/**
 * An error after Book Now. `total`: a different price, in dollars, to which the customer has to agree. `holds`: the customer has too many
 * holds. `draft`: only the hosted check could not start, so this booking can continue with a photo at the checkout.
 */
export type BookProblem = {
  readonly text: string;
  readonly total: number | null;
  readonly holds: boolean;
  readonly draft: BookingDraft | null;
};

export const NOT_STARTED = 'Failed to start verification. Please try again.';

/** The hosted check could not be started; `cause` is the reason. */
export class CheckNotStarted extends Error {
  override readonly name = 'CheckNotStarted';
}

/** Creates the order for these hours. `agreed` (dollars): a different price that the customer has agreed to. */
export function createOrder(
  studio: NonNullable<BookingRequest['studio']>,
  request: BookingRequest,
  agreed: number | null,
): Order {
  const { series } = request;
  const draft = { ...createDraft(studio, request.slots, request.coupon), ...(series === null ? {} : { series }) };
  return {
    draft,
    wire: request.wire,
    hasCoupon: request.coupon !== null,
    shown: agreed ?? (series === null ? draft.final_cost : centsToDollars(seriesCents(series))),
    full: createDraft(studio, request.slots).final_cost,
  };
}

/** Asks the customer to agree to the price without an earlier code that no longer works. */
export function explainLostCode(lost: { code: string; message: string }, { draft }: Order): BookProblem {
  const why = `Your code ${lost.code} no longer works. ${lost.message}`;
  return askToAgree(why, lastShown(draft), draft.final_cost);
}

/** Explains why Book Now failed. */
export function explainBooking(error: unknown, order: Order): BookProblem {
  if (error instanceof CheckNotStarted)
    return { text: describeError(error.cause, NOT_STARTED), total: null, holds: false, draft: order.draft };
  const refusal = findPaymentRefusal(error);
  const message = describeError(error, 'Failed to process payment. Please try again.');
  // For a series, the page prices the dates again without the code.
  if (refusal === 'coupon' && order.hasCoupon && order.draft.series === undefined)
    return askToAgree(message, order.shown, order.full);
  const total = errorNumber(error, 'total');
  if (refusal === 'price' && total !== null) return askToAgree('', order.shown, total);
  const tooMany = refusal === 'too many holds';
  const text = tooMany ? tooManyHolds(errorNumber(error, 'retryAfter')) : message;
  return { text, total: null, holds: tooMany || refusal === 'too many hours', draft: null };
}

function askToAgree(why: string, shown: number, total: number): BookProblem {
  return { text: priceChanged(why, shown, total), total, holds: false, draft: null };
}

/** Returns the price at which these hours were last shown with a code, in dollars. */
function lastShown(draft: BookingDraft): number {
  const before = drafts.booking();
  const same =
    before?.studio_id === draft.studio_id &&
    before.start_time === draft.start_time &&
    before.end_time === draft.end_time;
  return same ? before.final_cost : draft.final_cost;
}

/** Explains why no more hours can be held. `retryAfter`: seconds to wait, or null if releasing a hold helps. */
function tooManyHolds(retryAfter: number | null): string {
  if (retryAfter === null) return 'You’re already holding other hours. Pay for them or release them first.';
  const from = new Date(Math.ceil((Date.now() + retryAfter * 1000) / 60_000) * 60_000);
  return `You’ve started several bookings in the last hour without paying. You can start another from ${formatStudioTime(from)}, Sydney time.`;
}
