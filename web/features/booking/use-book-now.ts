import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { CouponTerms } from '#rules/coupon-discount.ts';
import { type Slot, sortSlots } from '#rules/slots.ts';
import { formatStudioTime } from '#rules/studio-time.ts';
import { settings } from '#rules/venue.ts';
import { draftOf } from '#web/data/booking-draft.ts';
import { type BookingDraft, drafts, type Verification } from '#web/lib/drafts.ts';
import { AppError, describeError, OFFLINE } from '#web/lib/errors.ts';
import { leaveTo } from '#web/lib/leave.ts';
import { paths } from '#web/lib/paths.ts';
import { priceChanged } from '#web/lib/price-changed.ts';
import { useAuthDialog } from '#web/data/session.tsx';
import { useBackAgain } from '#web/lib/use-back-again.ts';
import { usePayPage } from '#web/data/use-pay-page.ts';
import { toast } from '#web/ui/toast.tsx';
import { createPayment, keepDraft, readEligibility, type Studio } from './queries.ts';

const NOT_STARTED = 'Failed to start verification. Please try again.';

/**
 * Error after Book Now. `total` (dollars): another price needs agreement. `holds`: there are too many. `draft`: only the hosted check could not
 * start, so this booking can continue with a photo at the checkout.
 */
export type BookProblem = {
  readonly text: string;
  readonly total: number | null;
  readonly holds: boolean;
  readonly draft: BookingDraft | null;
};

/** Hours and coupon to book. `wire` as in `CouponState`; `lost`: an earlier code that no longer works, and why. */
export type Wanted = {
  readonly studio: Studio | null;
  readonly slots: readonly Slot[];
  readonly coupon: CouponTerms | null;
  readonly wire: string | null;
  readonly lost: { readonly code: string; readonly message: string } | null;
};

/**
 * Handles Book Now: leads to the sign-in, the ID check, the checkout, or straight to the payment.
 * `beginCheck` starts a hosted check and stores its ids in this tab; throws `AppError`, `not_configured` where there is none.
 */
export function useBookNow(
  userId: string | null,
  options: {
    onCouponLost: () => void;
    lookAgain: () => void;
    beginCheck: (draft: BookingDraft) => Promise<Verification>;
  },
) {
  const dialog = useAuthDialog();
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<BookProblem | null>(null);
  const payPage = usePayPage();
  useBackAgain(() => setBusy(false));

  const toCheckout = (draft: BookingDraft): void => void navigate(paths.checkout, { state: drafts.handOver(draft) });

  /** Leads to /verify-complete with a check that was not opened yet: one from an earlier press, or a new one. */
  async function verify(draft: BookingDraft): Promise<void> {
    const kept = drafts.verification();
    try {
      if (kept === null || kept.openedAt !== undefined) await options.beginCheck(draft);
      return void navigate(paths.verifyComplete, { state: drafts.handOver(draft) });
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_configured') return toCheckout(draft);
      setBusy(false);
      const text = describeError(error, NOT_STARTED);
      setProblem({ text, total: null, holds: false, draft });
      return toast({ title: NOT_STARTED, tone: 'bad' });
    }
  }

  function explain(error: unknown, draft: BookingDraft, wanted: Wanted, shown: number, full: number): void {
    setBusy(false);
    const code = error instanceof AppError ? error.code : '';
    if (code === 'id_required' || code === 'terms_required') return toCheckout(draft);
    options.lookAgain();
    const said = describeError(error, navigator.onLine ? 'Failed to process payment. Please try again.' : OFFLINE);
    if ((code === 'coupon_invalid' || code === 'coupon_exhausted') && wanted.coupon) {
      options.onCouponLost();
      return ask(said, shown, full);
    }
    const total = error instanceof AppError ? error.details['total'] : null;
    if (code === 'price_changed' && typeof total === 'number') return ask('', shown, total);
    const tooMany = code === 'too_many_holds' && error instanceof AppError;
    const text = tooMany ? tooManyHolds(error.details['retryAfter']) : said;
    setProblem({ text, total: null, holds: tooMany, draft: null });
    return toast({ title: 'Payment Error', description: text, tone: 'bad' });
  }

  /** Asks the customer to agree to a price other than the one shown. Dollars. */
  function ask(why: string, shown: number, total: number): void {
    const text = priceChanged(why, shown, total);
    setProblem({ text, total, holds: false, draft: null });
    toast({ title: 'Payment Error', description: text, tone: 'bad' });
  }

  /** Books the hours. `agreed` (dollars): a different price that the customer agreed to. */
  async function book(wanted: Wanted, agreed: number | null): Promise<void> {
    const { studio, slots, coupon, lost } = wanted;
    if (slots.length === 0 || busy) return undefined;
    if (!studio) return toast({ title: 'Selected studio not found.', tone: 'bad' });
    if (userId === null) {
      drafts.keepSelection({ studioId: studio.id, slots: sortSlots(slots) });
      return dialog.open('sign-in');
    }
    const drafted = draftOf(studio, slots, coupon);
    if (lost !== null && agreed === null)
      return ask(`Your code ${lost.code} no longer works. ${lost.message}`, lastShown(drafted), drafted.final_cost);
    const shown = agreed ?? drafted.final_cost;
    setBusy(true);
    setProblem(null);
    try {
      drafts.keepBooking(drafted);
      void keepDraft(drafted);
      const eligibility = await readEligibility(userId, settings.termsVersion);
      if (!eligibility.verified) return await verify(drafted);
      if (!eligibility.termsAccepted) return toCheckout(drafted);
      const url = await payPage.open(() => createPayment({ ...drafted, final_cost: shown }, wanted.wire, userId));
      if (url !== null) leaveTo(url); // stay busy while the browser leaves the page
      return undefined;
    } catch (error) {
      return explain(error, drafted, wanted, shown, draftOf(studio, slots).final_cost);
    }
  }

  return { busy, problem, book, forget: () => setProblem(null) };
}

/** Returns what these hours cost when last shown with a code, in dollars. */
function lastShown(draft: BookingDraft): number {
  const before = drafts.booking();
  const same =
    before?.studio_id === draft.studio_id &&
    before.start_time === draft.start_time &&
    before.end_time === draft.end_time;
  return same ? before.final_cost : draft.final_cost;
}

/** Explains why no more hours can be held. `retryAfter`: seconds to wait, when releasing a hold does not help. */
function tooManyHolds(retryAfter: unknown): string {
  if (typeof retryAfter !== 'number') return 'You’re already holding other hours. Pay for them or release them first.';
  const from = new Date(Math.ceil((Date.now() + retryAfter * 1000) / 60_000) * 60_000);
  return `You’ve started several bookings in the last hour without paying. You can start another from ${formatStudioTime(from)}, Sydney time.`;
}
