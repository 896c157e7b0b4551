import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useEffectEvent, useMemo, useState } from 'react';
import { Link, Navigate, useNavigate } from 'react-router';
import type { CouponTerms } from '#rules/coupons.ts';
import { centsToDollars, formatMoney } from '#rules/money.ts';
import { customerSchema, firstError } from '#rules/people.ts';
import { quoteSlots } from '#rules/pricing.ts';
import { formatStudioDate } from '#rules/studio-time.ts';
import { settings } from '#rules/venue.ts';
import { readStanding } from '#web/features/booking/queries.ts';
import { joinName, splitName, stillNeeded } from '#web/features/checkout/name.ts';
import { PriceSummary } from '#web/features/checkout/price-summary.tsx';
import { pay, readProfile, readServerDraft } from '#web/features/checkout/queries.ts';
import { Step } from '#web/features/checkout/step.tsx';
import { TermsDialog } from '#web/features/checkout/terms-dialog.tsx';
import { useReleased } from '#web/features/checkout/use-released.ts';
import { CouponField } from '#web/features/coupons/coupon-field.tsx';
import { IdDialog } from '#web/features/identity/id-dialog.tsx';
import { readReview } from '#web/features/identity/queries.ts';
import { type BookingDraft, drafts } from '#web/lib/drafts.ts';
import { describeError } from '#web/lib/errors.ts';
import { leaveTo } from '#web/lib/leave.ts';
import { paths } from '#web/lib/paths.ts';
import { useAuthDialog, useSession } from '#web/lib/session.tsx';
import { AppError } from '#web/lib/supabase.ts';
import { useBackAgain } from '#web/lib/use-back-again.ts';
import { Button, buttonStyle } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { Notice, Waiting } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';
import { toast } from '#web/ui/toast.tsx';

const BACK = { to: paths.booking, label: 'Back to booking' };
/** What went wrong; `total` in cents when the server names another price, `back` when other hours have to be chosen. */
type Problem = { readonly text: string; readonly total: number | null; readonly back: boolean };

export default function CheckoutPage() {
  const { status, user } = useSession();
  const { open } = useAuthDialog();
  const released = useReleased(status);
  const kept = useMemo(() => drafts.booking(), []);
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

  if (draft && user) return <Checkout key={user.id} draft={draft} userId={user.id} released={released.text} />;
  if (status === 'loading' || (status === 'in' && kept === null && server.isLoading))
    return <Waiting label="Loading your booking" />;
  if (draft === null && released.asking) return <Waiting label="Giving the hours back" />;
  if (draft === null && released.text === null && (status === 'in' || kept === null))
    return <Navigate to={paths.booking} replace />;
  return (
    <Shell back={BACK} title="Checkout">
      <p className="text-fog">{released.text ?? 'Please sign in to go on. Your selection is kept.'}</p>
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
  const profile = useQuery({ queryKey: ['profile', userId], queryFn: () => readProfile(userId) });
  const standing = useQuery({
    queryKey: ['standing', userId],
    queryFn: () => readStanding(userId, settings.termsVersion),
  });
  const verified = standing.data?.verified === true;
  const review = useQuery({
    queryKey: ['review', userId],
    queryFn: () => readReview(userId),
    enabled: standing.data?.verified === false,
  });
  const filledIn = profile.data
    ? { ...splitName(profile.data.full_name), email: profile.data.email ?? '', phone: profile.data.phone ?? '' }
    : { first: '', last: '', oneName: false, email: '', phone: '' };
  // What the person typed; until then what the account says.
  const [typed, setTyped] = useState<typeof filledIn | null>(null);
  const form = typed ?? filledIn;
  const [coupon, setCoupon] = useState<CouponTerms | null>(null);
  const [accepted, setAccepted] = useState(false);
  const [dialog, setDialog] = useState<'id' | 'terms' | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  useBackAgain(() => setBusy(false));

  const quote = useMemo(() => quoteSlots(draft.slots, coupon), [draft, coupon]);
  const termsAccepted = accepted || standing.data?.termsAccepted === true;
  const missing = stillNeeded({ name: form, email: form.email, phone: form.phone, verified, termsAccepted });
  const set = (name: 'first' | 'last' | 'email' | 'phone') => (event: { target: { value: string } }) =>
    setTyped({ ...form, [name]: event.target.value });

  function refuse(title: string, text: string, more: Partial<Problem> = {}): void {
    setProblem({ text, total: null, back: false, ...more });
    toast({ title, description: text, tone: 'bad' });
  }

  async function submit(totalCents: number): Promise<void> {
    if (busy || missing !== '') return;
    const name = joinName(form);
    if ('problem' in name) return refuse('Validation Error', name.problem);
    const customer = customerSchema.safeParse({ fullName: name.fullName, email: form.email, phone: form.phone });
    if (!customer.success) return refuse('Validation Error', firstError(customer.error));
    setBusy(true);
    setProblem(null);
    try {
      const { url } = await pay({
        draft,
        total: centsToDollars(totalCents),
        fullName: customer.data.fullName,
        email: customer.data.email,
        couponCode: coupon?.code ?? null,
        userId,
      });
      leaveTo(url); // busy stays: the page is on its way out
    } catch (error) {
      setBusy(false);
      explain(error, totalCents);
    }
  }

  function explain(error: unknown, shown: number): void {
    const text = describeError(error, 'Failed to process payment. Please try again.');
    const code = error instanceof AppError ? error.code : '';
    if (code === 'id_required' || code === 'terms_required') void standing.refetch();
    if (code === 'coupon_invalid' || code === 'coupon_exhausted') setCoupon(null);
    const named = error instanceof AppError ? error.details['total'] : null;
    if (code === 'price_changed' && typeof named === 'number') {
      const total = Math.round(named * 100);
      const changed = `The price is now ${formatMoney(total)} instead of ${formatMoney(shown)}. Nothing has been charged.`;
      return refuse('Payment Error', changed, { total });
    }
    return refuse('Payment Error', text, { back: code === 'slot_taken' || code === 'slot_closed' });
  }

  if (profile.isError || standing.isError) {
    return (
      <Shell back={BACK} title="Checkout">
        <Notice tone="bad">
          <p>Your details could not be loaded.</p>
          <Button
            tone="plain"
            className="mt-3"
            onClick={() => void Promise.all([profile.refetch(), standing.refetch()])}
          >
            Try again
          </Button>
        </Notice>
      </Shell>
    );
  }
  const agreed = problem?.total ?? null;
  const loading = profile.isPending || standing.isPending;
  return (
    <Shell wide back={BACK} title="Checkout">
      {released ? (
        <div className="mb-6">
          <Notice tone="plain">
            <p>{released}</p>
          </Notice>
        </div>
      ) : null}
      <div className="grid gap-8 lg:grid-cols-[1fr_22rem]" aria-busy={loading}>
        <form
          id="checkout"
          onSubmit={(event: FormEvent) => {
            event.preventDefault();
            void submit(quote.totalCents);
          }}
          noValidate
          className="space-y-6"
        >
          <fieldset className="space-y-4" disabled={loading || busy}>
            <legend className="mb-3 text-2xl font-extrabold uppercase [font-stretch:75%]">You</legend>
            <div className="grid gap-4 sm:grid-cols-2">
              <Field
                label={form.oneName ? 'Name' : 'First name'}
                hint="As on your Australian ID"
                autoComplete={form.oneName ? 'name' : 'given-name'}
                value={form.first}
                onChange={set('first')}
              />
              {form.oneName ? null : (
                <Field label="Last name" autoComplete="family-name" value={form.last} onChange={set('last')} />
              )}
            </div>
            <label className="flex min-h-11 items-center gap-3 text-sm">
              <input
                type="checkbox"
                className="size-5 accent-signal"
                checked={form.oneName}
                onChange={(event) => setTyped({ ...form, oneName: event.target.checked })}
              />
              I have one name
            </label>
            <div className="grid gap-4 sm:grid-cols-2">
              <Field label="Email" type="email" autoComplete="email" value={form.email} onChange={set('email')} />
              <Field label="Phone" type="tel" autoComplete="tel" value={form.phone} onChange={set('phone')} />
            </div>
          </fieldset>
          <Step
            title="ID"
            done={verified}
            doneText="ID verified"
            text={
              review.data ? (
                <p>
                  A person is looking at your ID and decides by {formatStudioDate(review.data.decidedBy)}. You need not
                  wait for that: take a sharper photo, or use the hosted check.
                </p>
              ) : (
                <p>You need to be 18 or older. Show an Australian driver licence, once.</p>
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
        </form>
        <div className="space-y-5 lg:sticky lg:top-6 lg:self-start">
          <PriceSummary
            studioName={draft.studio_name}
            start={new Date(draft.start_time)}
            end={new Date(draft.end_time)}
            quote={quote}
            coupon={coupon}
          />
          <CouponField
            hours={quote.hours}
            applied={coupon}
            onApply={(found) => {
              setCoupon(found);
              setProblem(null);
            }}
          />
          {problem ? (
            <Notice tone="bad">
              <p>{problem.text}</p>
              {problem.back ? (
                <Button tone="plain" className="mt-3" onClick={() => void navigate(paths.booking)}>
                  Choose another time
                </Button>
              ) : null}
            </Notice>
          ) : null}
          {agreed !== null ? (
            <Button busy={busy} onClick={() => void submit(agreed)} className="w-full text-lg">
              Agree and pay {formatMoney(agreed)}
            </Button>
          ) : (
            <Button
              type="submit"
              form="checkout"
              busy={busy}
              disabled={missing !== '' || loading}
              aria-describedby="still-needed"
              className="w-full text-lg"
            >
              {quote.totalCents === 0 ? 'Book for free' : `Pay ${formatMoney(quote.totalCents)}`}
            </Button>
          )}
          <p id="still-needed" aria-live="polite" className="text-sm text-fog">
            {missing === '' || loading
              ? `The hours are held for you for ${settings.holdMinutes} minutes while you pay.`
              : `Still needed: ${missing}.`}
          </p>
        </div>
      </div>
      <IdDialog
        open={dialog === 'id'}
        onClose={() => {
          setDialog(null);
          void review.refetch();
        }}
        onVerified={() => {
          setDialog(null);
          void standing.refetch();
        }}
      />
      <TermsDialog
        open={dialog === 'terms'}
        accepted={termsAccepted}
        onClose={() => setDialog(null)}
        onAccept={setAccepted}
      />
    </Shell>
  );
}
