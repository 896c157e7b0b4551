import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useMemo, useState } from 'react';
import { Navigate, useNavigate, useSearchParams } from 'react-router';
import type { CouponTerms } from '#rules/coupons.ts';
import { centsToDollars, formatMoney } from '#rules/money.ts';
import { customerSchema, firstError } from '#rules/people.ts';
import { quoteSlots } from '#rules/pricing.ts';
import { settings } from '#rules/venue.ts';
import { readStanding } from '#web/features/booking/queries.ts';
import { CouponField } from '#web/features/checkout/coupon-field.tsx';
import { PriceSummary } from '#web/features/checkout/price-summary.tsx';
import { pay, readProfile, readServerDraft, releaseHold } from '#web/features/checkout/queries.ts';
import { TermsDialog } from '#web/features/checkout/terms-dialog.tsx';
import { IdDialog } from '#web/features/identity/id-dialog.tsx';
import { type BookingDraft, drafts } from '#web/lib/drafts.ts';
import { describeError } from '#web/lib/errors.ts';
import { paths } from '#web/lib/paths.ts';
import { useAuthDialog, useSession } from '#web/lib/session.tsx';
import { AppError } from '#web/lib/supabase.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { Notice, Waiting } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';
import { toast } from '#web/ui/toast.tsx';

const BACK = { to: paths.booking, label: 'Back to booking' };

export default function CheckoutPage() {
  const { status, user } = useSession();
  const { open } = useAuthDialog();
  const kept = useMemo(() => drafts.booking(), []);
  const server = useQuery({
    queryKey: ['draft'],
    queryFn: readServerDraft,
    enabled: kept === null && status === 'in',
    retry: 0,
  });
  const draft = kept ?? server.data ?? null;

  useEffect(() => {
    if (status === 'out') open('sign-in');
  }, [status, open]);

  if (draft && user) return <Checkout draft={draft} userId={user.id} />;
  if (status === 'loading' || (status === 'in' && kept === null && server.isLoading))
    return <Waiting label="Loading your booking" />;
  if (!draft && (status === 'in' || kept === null)) return <Navigate to={paths.booking} replace />;
  return (
    <Shell back={BACK} title="Checkout">
      <p className="text-fog">Please sign in to go on. Your selection is kept.</p>
      <Button className="mt-4" onClick={() => open('sign-in')}>
        Sign In
      </Button>
    </Shell>
  );
}

function Checkout({ draft, userId }: { draft: BookingDraft; userId: string }) {
  const navigate = useNavigate();
  const profile = useQuery({ queryKey: ['profile', userId], queryFn: () => readProfile(userId) });
  const standing = useQuery({
    queryKey: ['standing', userId],
    queryFn: () => readStanding(userId, settings.termsVersion),
  });
  const [form, setForm] = useState({ first: '', last: '', email: '', phone: '' });
  const [oneName, setOneName] = useState(false);
  const [coupon, setCoupon] = useState<CouponTerms | null>(null);
  const [accepted, setAccepted] = useState(false);
  const [idOpen, setIdOpen] = useState(false);
  const [termsOpen, setTermsOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<{ text: string; back: boolean } | null>(null);
  const released = useReleased();

  useEffect(() => {
    if (!profile.data) return;
    const [first = '', ...rest] = (profile.data.full_name ?? '').split(' ');
    setForm({ first, last: rest.join(' '), email: profile.data.email ?? '', phone: profile.data.phone ?? '' });
  }, [profile.data]);

  const quote = useMemo(() => quoteSlots(draft.slots, coupon), [draft, coupon]);
  const verified = standing.data?.verified === true;
  const termsDone = accepted || standing.data?.termsAccepted === true;
  const complete =
    form.first !== '' &&
    (oneName || form.last !== '') &&
    form.email !== '' &&
    form.phone !== '' &&
    verified &&
    termsDone;
  const set = (name: keyof typeof form) => (event: { target: { value: string } }) =>
    setForm({ ...form, [name]: event.target.value });

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    const first = form.first.trim();
    const last = oneName ? '' : form.last.trim();
    if (first === '' || (!oneName && last === ''))
      return toast({
        title: 'Validation Error',
        description: 'Please enter your first and last name as shown on your Australian ID.',
        tone: 'bad',
      });
    if (first.length < 2 || (!oneName && last.length < 2))
      return toast({ title: 'Validation Error', description: 'Please enter valid first and last names.', tone: 'bad' });
    const customer = customerSchema.safeParse({
      fullName: `${first} ${last}`.trim(),
      email: form.email,
      phone: form.phone,
    });
    if (!customer.success)
      return toast({ title: 'Validation Error', description: firstError(customer.error), tone: 'bad' });
    setBusy(true);
    setProblem(null);
    try {
      const { url } = await pay({
        draft,
        total: centsToDollars(quote.totalCents),
        fullName: customer.data.fullName,
        email: customer.data.email,
        couponCode: coupon?.code ?? null,
        userId,
      });
      window.location.assign(url);
    } catch (error) {
      setBusy(false);
      const message = describeError(error, 'Failed to process payment. Please try again.');
      const code = error instanceof AppError ? error.code : '';
      if (code === 'id_required') void standing.refetch();
      if (code === 'coupon_invalid' || code === 'coupon_exhausted') setCoupon(null);
      setProblem({ text: message, back: code === 'slot_taken' || code === 'slot_closed' });
      toast({ title: 'Payment Error', description: message, tone: 'bad' });
    }
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
  return (
    <Shell wide back={BACK} title="Checkout">
      {released ? (
        <div className="mb-6">
          <Notice tone="plain">
            <p>{released}</p>
          </Notice>
        </div>
      ) : null}
      <div className="grid gap-8 lg:grid-cols-[1fr_22rem]">
        <form id="checkout" onSubmit={(event) => void submit(event)} noValidate className="space-y-6">
          <fieldset className="space-y-4">
            <legend className="mb-3 text-2xl font-extrabold uppercase [font-stretch:75%]">You</legend>
            <div className="grid gap-4 sm:grid-cols-2">
              <Field
                label={oneName ? 'Name' : 'First name'}
                autoComplete="given-name"
                value={form.first}
                onChange={set('first')}
              />
              {oneName ? null : (
                <Field label="Last name" autoComplete="family-name" value={form.last} onChange={set('last')} />
              )}
            </div>
            <label className="flex min-h-11 items-center gap-3 text-sm">
              <input
                type="checkbox"
                className="size-5 accent-signal"
                checked={oneName}
                onChange={(event) => setOneName(event.target.checked)}
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
            text="You need to be 18 or older. Show an Australian driver licence, once."
          >
            <Button tone="plain" onClick={() => setIdOpen(true)} disabled={standing.isLoading}>
              Verify ID
            </Button>
          </Step>
          <Step title="Terms" done={termsDone} doneText="Terms accepted" text="Please read and accept the terms.">
            <Button tone="plain" onClick={() => setTermsOpen(true)}>
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
          <CouponField hours={quote.hours} applied={coupon} onApply={setCoupon} />
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
          <Button type="submit" form="checkout" busy={busy} disabled={!complete} className="w-full text-lg">
            {quote.totalCents === 0 ? 'Book for free' : `Pay ${formatMoney(quote.totalCents)}`}
          </Button>
          <p className="text-sm text-dust">
            The hours are held for you for {settings.holdMinutes} minutes while you pay.
          </p>
        </div>
      </div>
      <IdDialog
        open={idOpen}
        onClose={() => setIdOpen(false)}
        onVerified={() => {
          setIdOpen(false);
          void standing.refetch();
        }}
      />
      <TermsDialog open={termsOpen} accepted={termsDone} onClose={() => setTermsOpen(false)} onAccept={setAccepted} />
    </Shell>
  );
}

function Step({
  title,
  done,
  doneText,
  text,
  children,
}: {
  title: string;
  done: boolean;
  doneText: string;
  text: string;
  children: ReactNode;
}) {
  return (
    <section aria-label={title} className={`border-l-4 bg-booth p-5 ${done ? 'border-good' : 'border-warn'}`}>
      <h2 className="text-2xl">{title}</h2>
      <div role="status" className="mt-2 text-fog">
        {done ? <p className="font-semibold text-good">{doneText}</p> : <p className="mb-3">{text}</p>}
      </div>
      {done ? null : children}
    </section>
  );
}

/** Back from the pay page: the hold is given up, and that is said (decisions T-44). */
function useReleased(): string | null {
  const [search, setSearch] = useSearchParams();
  const [told, setTold] = useState<string | null>(null);
  const bookingId = search.get('released');
  useEffect(() => {
    if (!bookingId) return;
    releaseHold(bookingId)
      .then(({ released, status }) =>
        setTold(
          status === 'confirmed'
            ? 'This booking is paid for already. You find it in your account.'
            : released
              ? 'You left the payment, so the hours are free again. Nothing was charged. You can still book them now.'
              : null,
        ),
      )
      .catch(() => setTold('You left the payment. Nothing was charged.'))
      .finally(() => setSearch({}, { replace: true }));
  }, [bookingId, setSearch]);
  return told;
}
