import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import { useWatch } from 'react-hook-form';
import { describeCancellation } from '#rules/cancellation.ts';
import { centsToDollars } from '#rules/money.ts';
import type { StudioHours } from '#rules/nearest-free.ts';
import { formatStudioDate, formatStudioHours } from '#rules/studio-time.ts';
import { CustomerForm, useCustomerForm } from '#web/features/checkout/customer-form.tsx';
import { lostCodeProblem } from '#web/features/checkout/lost-code.ts';
import { stillNeeded } from '#web/features/checkout/name.ts';
import { PayPanel } from '#web/features/checkout/pay-panel.tsx';
import { PriceSummary } from '#web/features/checkout/price-summary.tsx';
import { LostDates, SeriesDates } from '#web/features/checkout/series-dates.tsx';
import { Step } from '#web/features/checkout/step.tsx';
import { TermsStep } from '#web/features/checkout/terms-step.tsx';
import { useBackToBooking } from '#web/features/checkout/use-back-to-booking.ts';
import { useDraftSeries } from '#web/features/checkout/use-draft-series.ts';
import { usePayment } from '#web/features/checkout/use-payment.ts';
import { useReleased } from '#web/features/checkout/use-released.ts';
import { CouponField } from '#web/features/coupons/coupon-field.tsx';
import { useCoupon } from '#web/features/coupons/use-coupon.ts';
import { useStudios } from '#web/features/studios/queries.ts';
import { IdChoice } from '#web/features/identity/id-choice.tsx';
import { IdDialog } from '#web/features/identity/id-dialog.tsx';
import { IdRequest } from '#web/features/identity/id-request.tsx';
import { OnlineCheck } from '#web/features/identity/use-hosted-check.tsx';
import { LostDraft } from '#web/features/lost-hours/lost-draft.tsx';
import { useLostDraft } from '#web/features/lost-hours/use-lost-draft.ts';
import { HeldUntil } from '#web/data/drafts/held-until.tsx';
import { findHold, quoteOfDraft } from '#web/data/drafts/booking-draft.ts';
import { useEligibility } from '#web/data/account/eligibility.ts';
import { getOpenHolds, useOwnBookings } from '#web/data/bookings/own-bookings.ts';
import { useProfile } from '#web/data/profile.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { keepServerDraft, replaceDraft, useServerDraft } from '#web/data/drafts/server-draft.ts';
import { useAuthDialog, useSession } from '#web/data/session.tsx';
import { type BookingDraft, drafts, readTyped, saveTyped } from '#web/lib/drafts.ts';
import { useBusiness } from '#web/lib/business/business.ts';
import { paths } from '#web/lib/paths.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Frozen } from '#web/lib/use-stable.ts';
import { Link, Redirect, useLocation, useNavigate } from '#web/router/router.tsx';
import { Button, buttonStyle } from '#web/ui/button.tsx';
import { Notice, Waiting } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';

/** The missing requirement if the chosen hours were lost. */
const OTHER_HOURS = 'hours that are free';
/** The missing requirement if dates of a series were lost. */
const OTHER_DATES = 'dates that are free';
const BACK = { to: paths.booking, label: 'Back to booking' };

export default function CheckoutPage() {
  const { status, user } = useSession();
  const { open } = useAuthDialog();
  const released = useReleased(status);
  useBackToBooking();
  const { state } = useLocation();
  // The draft comes from the navigation state, then this tab, then the server.
  const kept = useMemo(() => drafts.fromState(state) ?? drafts.booking(), [state]);
  const server = useServerDraft(user?.id ?? null, kept === null);
  const draft = kept ?? server.data ?? null;
  const askSignIn = useEffectEvent(() => open('sign-in'));
  useEffect(() => {
    if (status === 'out') askSignIn();
  }, [status]);

  // Wait until the hold is released, because its coupon may be needed again.
  if (released.asking && status === 'in') return <Waiting label="Releasing your hours" />;
  if (draft && user) return <Checkout key={user.id} draft={draft} userId={user.id} released={released.text} />;
  if (status === 'loading' || (status === 'in' && kept === null && server.isLoading))
    return <Waiting label="Loading your booking" />;
  if (draft === null && released.asking) return <Waiting label="Loading your booking" />;
  if (draft === null && released.text === null && (status === 'in' || kept === null))
    return <Redirect to={paths.booking} />;
  return (
    <Shell back={BACK} title="Checkout">
      <p className="text-fog">{released.text ?? 'Please sign in to continue. We’ve kept your selection.'}</p>
      {status === 'in' ? (
        <Link to={paths.booking} className={`${buttonStyle.signal} mt-4`}>
          Choose your hours
        </Link>
      ) : (
        <Button className="mt-4" onClick={() => open('sign-in')}>
          Sign In
        </Button>
      )}
    </Shell>
  );
}

function Checkout({ draft, userId, released }: { draft: BookingDraft; userId: string; released: string | null }) {
  const navigate = useNavigate();
  const { failed, retry, loading, customer, payment, coupon, quote, hours, ...needs } = useCheckout(draft, userId);
  const { series } = needs;
  const missing = hours.lost !== null ? OTHER_HOURS : series?.lost ? OTHER_DATES : needs.missing;
  if (failed) return <NotLoaded onRetry={retry} />;
  const problem = payment.problem ?? lostCodeProblem(coupon.lost, draft, needs.fullCents);
  const start = new Date(draft.start_time);
  const unpriced = coupon.checking !== null || coupon.unsure !== null || series?.loading === true;
  return (
    <Shell wide back={BACK} title="Checkout" lead={<HeldUntil draft={draft} />}>
      <ReleasedNotice text={released} />
      <div className="mb-6 empty:hidden">
        <LostDraft state={hours} studios={needs.studios} userId={userId} onTake={needs.takeHours}>
          <Link to={paths.booking} className={buttonStyle.plain}>
            Choose another time
          </Link>
        </LostDraft>
        {hours.lost === null && series?.lost ? <LostDates series={series} onLeaveOut={needs.leaveOut} /> : null}
      </div>
      <div className="grid gap-8 bar:pb-24 lg:grid-cols-[1fr_22rem]" aria-busy={loading}>
        <div className="min-w-0 space-y-4">
          <CustomerForm
            {...customer}
            loading={loading}
            disabled={payment.busy}
            onSend={(typed) =>
              // If another price is shown, sending the form agrees to it.
              missing === '' &&
              payment.start({ customer: typed, shownCents: problem?.total ?? needs.totalCents, quote, coupon })
            }
          />
          <IdStep userId={userId} loading={loading} verified={needs.verified} />
          <TermsStep
            key={needs.termsRequests}
            requests={needs.termsRequests}
            accepted={needs.termsAccepted}
            loading={loading}
            onAccept={needs.accept}
          />
        </div>
        <div className="space-y-5 lg:sticky lg:top-6 lg:self-start">
          <Frozen on={payment.busy}>
            <PriceSummary
              draft={draft}
              quote={quote}
              coupon={coupon.applied}
              unpriced={unpriced}
              dates={series && { part: <SeriesDates series={series} />, totalCents: series.totalCents }}
            />
          </Frozen>
          <CouponField folded slots={draft.slots} coupon={coupon} disabled={payment.busy} />
          <PayPanel
            totalCents={unpriced ? null : needs.totalCents}
            hours={`${formatStudioDate(start, 'short')}, ${formatStudioHours(start, new Date(draft.end_time))}`}
            missing={missing}
            loading={loading || unpriced}
            terms={needs.terms}
            busy={payment.busy}
            asking={payment.asking}
            problem={problem}
            onBack={() => navigate(paths.booking)}
          />
        </div>
      </div>
    </Shell>
  );
}

/** Combines what the checkout shows: the customer, the price with its coupon, the requirements, and the payment. */
function useCheckout(draft: BookingDraft, userId: string) {
  const navigate = useNavigate();
  const profile = useProfile(userId);
  const eligibility = useEligibility(userId);
  const customer = useCustomerForm(userId, profile.data);
  const { first, last, oneName, email, phone } = useWatch({ control: customer.form.control });
  const terms = useTermsAcceptance(userId);
  const full = useDraftSeries(draft, null);
  const fullCents = full?.totalCents ?? quoteOfDraft(draft, null).totalCents;
  const payment = usePayment({
    draft,
    userId,
    fullCents,
    termsVersion: terms.version,
    onEligibilityLost: () => void eligibility.refetch(),
    onTermsChanged: terms.askAgain,
  });
  const coupon = useDraftCoupon(draft, userId, payment.forget);
  const series = useDraftSeries(draft, coupon.applied?.code ?? null);
  const quote = quoteOfDraft(draft, coupon.applied);
  const hours = useLostDraft({ draft, userId, paused: payment.busy });
  const studios = useStudios().data ?? [];
  const now = useNow(30_000);
  const { freeCancelHours } = useBusiness();
  const verified = eligibility.data?.verified === true;
  const termsAccepted = terms.version !== null || eligibility.data?.termsAccepted === true;
  const name = { first: first ?? '', last: last ?? '', oneName: oneName === true };
  return {
    loading: profile.isPending || eligibility.isPending,
    failed: (profile.isError && !profile.data) || (eligibility.isError && !eligibility.data),
    retry: () => void Promise.all([profile.refetch(), eligibility.refetch()]),
    customer,
    missing: stillNeeded({ name, email: email ?? '', phone: phone ?? '', verified, termsAccepted }),
    fullCents,
    payment,
    coupon,
    quote,
    series,
    totalCents: series?.totalCents ?? quote.totalCents,
    verified,
    termsAccepted,
    termsRequests: terms.requests,
    accept: terms.accept,
    hours,
    studios,
    terms: describeCancellation(new Date(draft.start_time), now, freeCancelHours),
    /** Continues without the dates that are no longer free. */
    leaveOut(): void {
      const { series: _before, ...once } = draft;
      const remaining = series?.lost?.remaining ?? null;
      const next = remaining === null ? once : { ...once, series: remaining };
      payment.forget();
      drafts.saveBooking(next);
      void keepServerDraft(next);
      navigate(paths.checkout, { replace: true, state: drafts.toState(next) });
    },
    /** Continues with other hours. The typed details are kept. */
    takeHours(next: StudioHours): void {
      const studio = studios.find(({ id }) => id === next.studioId);
      if (studio === undefined) return;
      payment.forget();
      const state = drafts.toState(replaceDraft(studio, next.slots, coupon.applied));
      navigate(paths.checkout, { replace: true, state });
    },
  };
}

const NO_TERMS = { version: '' };

/** Holds the version of the terms that was accepted here, even before the page was left, and how often the server has required another version. */
function useTermsAcceptance(userId: string) {
  const draft = `checkout:terms:${userId}`;
  const [version, setVersion] = useState(() => readTyped(draft, NO_TERMS)?.version || null);
  const accept = (next: string | null): void => {
    setVersion(next);
    saveTyped(draft, { version: next ?? '' });
  };
  const [requests, setRequests] = useState(0);
  const client = useQueryClient();
  return {
    version,
    accept,
    requests,
    /** Drops the acceptance and reads the new text, which opens automatically. */
    askAgain(): void {
      accept(null);
      setRequests((times) => times + 1);
      void client.resetQueries({ queryKey: queryKeys.texts.all });
    },
  };
}

/** Returns the coupon of this booking, from the customer's hold or from the draft. Changes are stored in this tab and on the server. */
function useDraftCoupon(draft: BookingDraft, userId: string, onChange: () => void) {
  const bookings = useOwnBookings(userId);
  // Evaluated at the time of the answer, so that a hold that expires later keeps its coupon on this page.
  const hold = bookings.data ? findHold(getOpenHolds(bookings.data, new Date(bookings.dataUpdatedAt)), draft) : null;
  return useCoupon({
    slots: draft.slots,
    kept: drafts.couponCode() ?? draft.coupon_code ?? null,
    held: bookings.isPending ? undefined : hold && hold.coupon,
    onChange: (coupon) => {
      onChange();
      const { coupon_code: _before, ...plain } = draft;
      const next = {
        ...plain,
        final_cost: centsToDollars(quoteOfDraft(draft, coupon).totalCents),
        ...(coupon === null ? {} : { coupon_code: coupon.code }),
      };
      drafts.saveCouponCode(coupon?.code ?? null);
      drafts.saveBooking(next);
      void keepServerDraft(next);
    },
  });
}

/** Shows what happened to an earlier hold. */
function ReleasedNotice({ text }: { text: string | null }) {
  return text === null ? null : (
    <div className="mb-6">
      <Notice tone="plain">
        <p>{text}</p>
      </Notice>
    </div>
  );
}

/** The ID check, which is required before the payment. The photo step starts at once if the customer chose it on the page before. */
function IdStep({ userId, loading, verified }: { userId: string; loading: boolean; verified: boolean }) {
  const { state, kind } = useLocation();
  const [open, setOpen] = useState(kind !== 'pop' && state !== null && typeof state === 'object' && 'photo' in state);
  const close = (): void => setOpen(false);
  return (
    <>
      <Step title="ID" loading={loading} done={verified} doneText="ID verified">
        <IdRequest userId={userId} enabled={!loading && !verified}>
          <IdChoice
            photo={<Button onClick={() => setOpen(true)}>Verify ID</Button>}
            online={drafts.verification() === null ? null : <OnlineCheck />}
          />
        </IdRequest>
      </Step>
      <IdDialog open={open} onClose={close} onVerified={close} />
    </>
  );
}

function NotLoaded({ onRetry }: { onRetry: () => void }) {
  return (
    <Shell back={BACK} title="Checkout">
      <Notice tone="bad">
        <p>Your details could not be loaded. We’ve kept your selection.</p>
        <Button tone="plain" className="mt-3" onClick={onRetry}>
          Try again
        </Button>
      </Notice>
    </Shell>
  );
}
