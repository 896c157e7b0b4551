import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { Link, Navigate, useLocation, useNavigate } from 'react-router';
import { centsToDollars } from '#rules/money.ts';
import { quoteSlots } from '#rules/pricing.ts';
import { formatStudioDate } from '#rules/studio-time.ts';
import { settings } from '#rules/venue.ts';
import { readOpenHolds, readEligibility } from '#web/features/booking/queries.ts';
import { checkCustomer } from '#web/features/checkout/customer.ts';
import { type CustomerFields, CustomerFieldset, type FieldProblem } from '#web/features/checkout/customer-fields.tsx';
import { splitName, stillNeeded } from '#web/features/checkout/name.ts';
import { PayPanel } from '#web/features/checkout/pay-panel.tsx';
import { PriceSummary } from '#web/features/checkout/price-summary.tsx';
import { keepServerDraft, readProfile, readServerDraft } from '#web/features/checkout/queries.ts';
import { Step } from '#web/features/checkout/step.tsx';
import { TermsDialog } from '#web/features/checkout/terms-dialog.tsx';
import { type PaymentProblem, usePayment } from '#web/features/checkout/use-payment.ts';
import { useReleased } from '#web/features/checkout/use-released.ts';
import { CouponField } from '#web/features/coupons/coupon-field.tsx';
import { useCoupon } from '#web/features/coupons/use-coupon.ts';
import { IdDialog } from '#web/features/identity/id-dialog.tsx';
import { readReview } from '#web/features/identity/queries.ts';
import { couponOf, holdOf } from '#web/data/booking-draft.ts';
import { type BookingDraft, drafts, useTyped } from '#web/lib/drafts.ts';
import { paths } from '#web/lib/paths.ts';
import { priceChanged } from '#web/lib/price-changed.ts';
import { useAuthDialog, useSession } from '#web/data/session.tsx';
import { Button, buttonStyle } from '#web/ui/button.tsx';
import { Notice, Waiting } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';
import { SEE_FIELD, toast } from '#web/ui/toast.tsx';

const NOTHING: CustomerFields = { first: '', last: '', oneName: false, email: '', phone: '' };
const BACK = { to: paths.booking, label: 'Back to booking' };

export default function CheckoutPage() {
  const { status, user } = useSession();
  const { open } = useAuthDialog();
  const released = useReleased(status);
  useBackToBooking();
  const { state } = useLocation();
  // Order: navigation state, then this tab, then the server.
  const kept = useMemo(() => drafts.ofState(state) ?? drafts.booking(), [state]);
  const server = useQuery({
    queryKey: ['draft', user?.id],
    queryFn: readServerDraft,
    enabled: kept === null && status === 'in',
    retry: 0,
  });
  const draft = kept ?? server.data ?? null;
  const askSignIn = useEffectEvent(() => open('sign-in'));
  useEffect(() => {
    if (status === 'out') askSignIn();
  }, [status]);

  // Wait until the hold is released: its coupon may be needed again.
  if (released.asking && status === 'in') return <Waiting label="Releasing your hours" />;
  if (draft && user) return <Checkout key={user.id} draft={draft} userId={user.id} released={released.text} />;
  if (status === 'loading' || (status === 'in' && kept === null && server.isLoading))
    return <Waiting label="Loading your booking" />;
  if (draft === null && released.asking) return <Waiting label="Loading your booking" />;
  if (draft === null && released.text === null && (status === 'in' || kept === null))
    return <Navigate to={paths.booking} replace />;
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

/** Makes the browser's Back lead to the booking page, whatever page came before. */
function useBackToBooking(): void {
  const navigate = useNavigate();
  useEffect(() => {
    const goBack = (): void => void navigate(paths.booking, { replace: true });
    window.addEventListener('popstate', goBack);
    // Deferred: the router handles Back first and unmounts this page before our listener runs.
    return () => void setTimeout(() => window.removeEventListener('popstate', goBack));
  }, [navigate]);
}

function Checkout({ draft, userId, released }: { draft: BookingDraft; userId: string; released: string | null }) {
  const navigate = useNavigate();
  const profile = useQuery({ queryKey: ['profile', userId], queryFn: () => readProfile(userId) });
  const eligibility = useQuery({
    queryKey: ['eligibility', userId],
    queryFn: () => readEligibility(userId, settings.termsVersion),
  });
  const verified = eligibility.data?.verified === true;
  const filledIn: CustomerFields = profile.data
    ? { ...splitName(profile.data.full_name), email: profile.data.email ?? '', phone: profile.data.phone ?? '' }
    : NOTHING;
  // What the customer typed; until then the data of the account.
  const [typed, setTyped] = useTyped<CustomerFields>(`checkout:${userId}`, NOTHING);
  const form = typed ?? filledIn;
  const [wrong, setWrong] = useState<FieldProblem | null>(null);
  const [accepted, setAccepted] = useState(false);
  const fields = useRef<HTMLFormElement>(null);
  const fullCents = quoteSlots(draft.slots).totalCents;
  const payment = usePayment({ draft, userId, fullCents, onEligibilityLost: () => void eligibility.refetch() });
  const coupon = useDraftCoupon(draft, userId, payment.forget);

  const quote = quoteSlots(draft.slots, coupon.applied);
  const unpriced = coupon.checking !== null || coupon.unsure !== null;
  const problem = payment.problem ?? lostCode(coupon.lost, draft, fullCents);
  const termsAccepted = accepted || eligibility.data?.termsAccepted === true;
  const missing = stillNeeded({ name: form, email: form.email, phone: form.phone, verified, termsAccepted });

  function submit(totalCents: number): void {
    if (payment.busy || missing !== '') return;
    const checked = checkCustomer(form);
    if ('problem' in checked) {
      const { field } = checked.problem;
      setWrong(checked.problem);
      const input = fields.current?.elements.namedItem(field);
      if (input instanceof HTMLElement) input.focus();
      return toast({ title: 'Validation Error', description: SEE_FIELD, tone: 'bad' });
    }
    setWrong(null);
    return void payment.start(checked.customer, totalCents, coupon);
  }

  if (profile.isError || eligibility.isError)
    return <NotLoaded onRetry={() => void Promise.all([profile.refetch(), eligibility.refetch()])} />;
  const loading = profile.isPending || eligibility.isPending;
  return (
    <Shell wide back={BACK} title="Checkout">
      <ReleasedNotice text={released} />
      <div className="grid gap-8 lg:grid-cols-[1fr_22rem]" aria-busy={loading}>
        <div className="space-y-6">
          <form
            id="checkout"
            ref={fields}
            onSubmit={(event) => {
              event.preventDefault();
              submit(quote.totalCents);
            }}
            noValidate
          >
            <CustomerFieldset
              value={form}
              disabled={loading || payment.busy}
              problem={wrong}
              onChange={(value) => {
                setTyped(value);
                setWrong(null);
              }}
            />
          </form>
          <Requirements
            userId={userId}
            loading={loading}
            verified={verified}
            termsAccepted={termsAccepted}
            onVerified={() => void eligibility.refetch()}
            onAccept={setAccepted}
          />
        </div>
        <div className="space-y-5 lg:sticky lg:top-6 lg:self-start">
          <PriceSummary
            studioName={draft.studio_name}
            start={new Date(draft.start_time)}
            end={new Date(draft.end_time)}
            quote={quote}
            coupon={coupon.applied}
            unpriced={unpriced}
          />
          <CouponField hours={quote.hours} coupon={coupon} disabled={payment.busy} />
          <PayPanel
            totalCents={quote.totalCents}
            missing={missing}
            loading={loading || unpriced}
            busy={payment.busy}
            asking={payment.asking}
            problem={problem}
            onAgree={submit}
            onBack={() => void navigate(paths.booking)}
          />
        </div>
      </div>
    </Shell>
  );
}

/** Returns the coupon of this booking, from the customer's hold or from the draft. A change is stored in this tab and on the server. */
function useDraftCoupon(draft: BookingDraft, userId: string, onChange: () => void) {
  const holds = useQuery({ queryKey: ['open-holds', userId], queryFn: readOpenHolds });
  const hold = holds.data ? holdOf(holds.data, draft) : null;
  return useCoupon({
    hours: draft.slots.length,
    kept: drafts.couponCode() ?? draft.coupon_code ?? null,
    held: holds.isPending ? undefined : hold && couponOf(hold),
    onChange: (coupon) => {
      onChange();
      const { coupon_code: _before, ...plain } = draft;
      const next = {
        ...plain,
        final_cost: centsToDollars(quoteSlots(draft.slots, coupon).totalCents),
        ...(coupon === null ? {} : { coupon_code: coupon.code }),
      };
      drafts.keepCouponCode(coupon?.code ?? null);
      drafts.keepBooking(next);
      void keepServerDraft(next);
    },
  });
}

/** Reports an earlier code that no longer works: the customer has to agree to the higher price. */
function lostCode(
  lost: { code: string; message: string } | null,
  draft: BookingDraft,
  totalCents: number,
): PaymentProblem | null {
  if (lost === null) return null;
  const shown = Math.min(draft.final_cost, centsToDollars(totalCents));
  return {
    text: priceChanged(`Your code ${lost.code} no longer works. ${lost.message}`, shown, centsToDollars(totalCents)),
    total: totalCents,
    back: false,
  };
}

/** Says what happened to an earlier hold. */
function ReleasedNotice({ text }: { text: string | null }) {
  return text === null ? null : (
    <div className="mb-6">
      <Notice tone="plain">
        <p>{text}</p>
      </Notice>
    </div>
  );
}

/** The two requirements before paying, ID and terms, each with its dialog. */
function Requirements({
  userId,
  loading,
  verified,
  termsAccepted,
  onVerified,
  onAccept,
}: {
  userId: string;
  loading: boolean;
  verified: boolean;
  termsAccepted: boolean;
  onVerified: () => void;
  onAccept: (yes: boolean) => void;
}) {
  const [dialog, setDialog] = useState<'id' | 'terms' | null>(null);
  const review = useQuery({
    queryKey: ['review', userId],
    queryFn: () => readReview(userId),
    enabled: !loading && !verified,
  });
  return (
    <>
      <Step
        title="ID"
        done={verified}
        doneText="ID verified"
        text={
          review.data ? (
            <p>
              Someone on our team is checking your ID and will decide by {formatStudioDate(review.data.decidedBy)}. You
              don’t have to wait: take a sharper photo, or use the online check.
            </p>
          ) : (
            <p>You need to be 18 or older. Show us your Australian driver licence. You only do this once.</p>
          )
        }
      >
        <Button tone="plain" onClick={() => setDialog('id')} disabled={loading}>
          Verify ID
        </Button>
      </Step>
      <Step
        title="Terms"
        done={termsAccepted}
        doneText="Terms accepted"
        text={<p>Please read and accept the terms.</p>}
      >
        <Button tone="plain" onClick={() => setDialog('terms')} disabled={loading}>
          Read the terms
        </Button>
      </Step>
      <IdDialog
        open={dialog === 'id'}
        onClose={() => {
          setDialog(null);
          void review.refetch();
        }}
        onVerified={() => {
          setDialog(null);
          onVerified();
        }}
      />
      <TermsDialog
        open={dialog === 'terms'}
        accepted={termsAccepted}
        onClose={() => setDialog(null)}
        onAccept={onAccept}
      />
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
