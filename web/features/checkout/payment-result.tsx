import { AlarmClock, Disc3, KeyRound } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { ARRIVE_EARLY, mailIsImmediate } from '#rules/access.ts';
import { formatDollars, formatMoney } from '#rules/money.ts';
import { formatStudioDate, formatStudioRange, formatStudioTime } from '#rules/studio-time.ts';
import { settings } from '#rules/venue.ts';
import { bookAgain } from '#web/data/finding/again.ts';
import { BookedSpan } from '#web/lib/business/booked-span.tsx';
import { HeldCode } from '#web/lib/business/held-code.tsx';
import { useBusiness } from '#web/lib/business/business.ts';
import { FindUs } from '#web/lib/business/find-us.tsx';
import { AppError, describeError } from '#web/lib/errors.ts';
import { paths } from '#web/lib/paths.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Link, Redirect } from '#web/router/router.tsx';
import { buttonStyle } from '#web/ui/button.tsx';
import { Notice, Waiting } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';
import { toast } from '#web/ui/toast.tsx';
import type { PaymentState } from './queries.ts';

const BACK = { to: paths.home, label: 'Return Home' };
/** When to say that it takes longer than usual. */
const LONG_MS = 30_000;

/** Parts of other features. */
type Parts = {
  /** The picture of a room by its name. */
  readonly picture?: (studioName: string) => ReactNode;
  /** Saves the customer's own confirmed booking. */
  readonly passes?: (bookingId: string) => ReactNode;
};

/** Shows the state of a payment: processing, confirmed, or why the booking is cancelled. */
export function PaymentResult({ state, ...parts }: Parts & { state: PaymentState }) {
  if (state.status === 'confirmed') return <Confirmed state={state} {...parts} />;
  if (state.status === 'cancelled')
    return state.change === undefined ? <Cancelled state={state} /> : <NotChanged state={state} />;
  if (state.payment === 'processing') return <Delayed state={state} />;
  return <Processing reference={state.reference} asking={state.state === 'asking'} />;
}

/** Whether the server has no such payment; otherwise it could not be read. */
export const isUnknownPayment = (error: Error | null): boolean =>
  error === null || (error instanceof AppError && (error.status === 404 || error.status === 400));

/** Shown for a payment that is unknown. */
export function PaymentNotFound() {
  return (
    <Shell back={BACK} title="Booking not found">
      <Notice tone="bad">
        <p>We couldn’t find a booking for this payment.</p>
      </Notice>
      <div className="mt-6 flex gap-3">
        <Link to={paths.booking} className={buttonStyle.plain}>
          Return to Booking
        </Link>
      </div>
    </Shell>
  );
}

/** Says that the result could not be read, with a number to name when writing to us, and leads back to the booking page. */
export function PaymentNotRead({ error, bookingId }: { error: Error | null; bookingId: string }) {
  const why = describeError(error, 'Failed to complete booking. Please contact support.');
  useEffect(() => {
    const reference = bookingId.slice(0, 8).toUpperCase();
    toast({ title: 'Booking Error', description: `${why} Reference ${reference}.`, tone: 'bad', ms: 60_000 });
  }, [why, bookingId]);
  return <Redirect to={paths.booking} />;
}

/** Never offers to pay again: the payment may still arrive. */
function Processing({ reference, asking }: { reference: string; asking: boolean }) {
  const [opened] = useState(() => Date.now());
  const long = useNow(5_000).getTime() - opened > LONG_MS;
  return (
    <div className="mx-auto max-w-xl px-4 text-center">
      <Waiting
        label={
          asking
            ? 'We’re still waiting for the payment provider. This page updates automatically.'
            : 'Your payment is being processed. This page updates automatically.'
        }
      />
      <p className="text-sm text-fog">Reference {reference}</p>
      {long ? (
        <p className="mt-4 text-fog">
          This is taking longer than usual. You can close this page: we’ll email you as soon as the payment goes
          through, and you’ll find the booking in your account. Please don’t pay again.
        </p>
      ) : null}
    </div>
  );
}

/** Shown when the customer has finished and the bank takes days. */
function Delayed({ state }: { state: PaymentState }) {
  return (
    <Shell
      back={BACK}
      title="Payment processing"
      lead={<p>Your bank is processing your payment. This can take a few business days.</p>}
    >
      <Notice tone="warn">
        <p>
          We’re holding your time, and we’ll email you as soon as the money arrives or if it doesn’t. Please don’t pay
          again.
        </p>
        <p className="mt-2">
          Your booking is confirmed when the money arrives. If it hasn’t when your session starts, we’ll cancel the
          booking and send back anything that arrives later.
        </p>
      </Notice>
      <dl className="mt-6 grid gap-px bg-line">
        <Row name="Reference" value={state.reference} />
        {state.booking ? (
          <>
            <Row name="Studio" value={state.booking.studio_name} />
            <Row
              name="When"
              value={`${formatStudioRange(new Date(state.booking.start_time), new Date(state.booking.end_time))} (Sydney time)`}
            />
            <Row name="To pay" value={formatDollars(state.booking.final_cost)} />
          </>
        ) : null}
      </dl>
      <Link to={paths.home} className={`${buttonStyle.plain} mt-8`}>
        Return Home
      </Link>
    </Shell>
  );
}

function Confirmed({ state, picture, passes }: Parts & { state: PaymentState }) {
  const booking = state.booking;
  const coupon = Math.round((booking?.coupon_discount ?? 0) * 100);
  const volume = Math.round((booking?.discount_amount ?? 0) * 100) - coupon;
  const later = booking ? again(booking, state.series) : null;
  return (
    <Shell
      back={BACK}
      title={state.change === undefined ? 'Booking confirmed' : 'Booking changed'}
      lead={<p>We’ve emailed you the details.{state.codeHeld === true ? null : ` ${codeAt(booking?.start_time)}`}</p>}
    >
      {state.codeHeld === true ? (
        <div className="mb-8">
          <Notice tone="warn">
            <HeldCode />
          </Notice>
        </div>
      ) : null}
      {booking ? (
        <Span booking={booking} codeHeld={state.codeHeld === true} picture={picture?.(booking.studio_name)} />
      ) : null}
      <dl className="grid gap-px bg-line">
        <Row name="Reference" value={state.reference} />
        {booking ? (
          <>
            <Row name="Studio" value={booking.studio_name} />
            {state.series ? (
              state.series.map((one, at) => (
                <Row
                  key={one.reference}
                  name={at === 0 ? `${state.series?.length ?? 0} dates, Sydney time` : ''}
                  value={`${formatStudioRange(new Date(one.start_time), new Date(one.end_time))}, ${one.reference}`}
                />
              ))
            ) : (
              <Row
                name="When"
                value={`${formatStudioRange(new Date(booking.start_time), new Date(booking.end_time))} (Sydney time)`}
              />
            )}
            <Row name="Hours" value={String(booking.total_hours)} />
            <Row name="Price" value={formatDollars(booking.base_cost)} />
            {volume > 0 ? <Row name="Volume discount" value={`-${formatMoney(volume)}`} /> : null}
            {coupon > 0 ? <Row name="Coupon" value={`-${formatMoney(coupon)}`} /> : null}
            {typeof state.change === 'number' ? <Row name="Paid now" value={formatDollars(state.change)} /> : null}
            <Row name={state.change === undefined ? 'Paid' : 'Paid in all'} value={formatDollars(booking.final_cost)} />
          </>
        ) : (
          <Row name="Details" value="Sign in to see them" />
        )}
      </dl>
      <WhatsNext />
      <FindUs />
      {booking && !state.series ? <div className="mt-10 empty:hidden">{passes?.(state.bookingId)}</div> : null}
      <div className="mt-10 flex flex-wrap gap-3 max-sm:flex-col">
        <Link to={paths.regeneratePin(state.bookingId)} className={buttonStyle.signal}>
          Your access code
        </Link>
        {later ? (
          <Link to={later.to} className={buttonStyle.plain}>
            {later.sameTime}
          </Link>
        ) : null}
        {state.change === undefined ? (
          <Link to={paths.booking} className={buttonStyle.plain}>
            Book Another Session
          </Link>
        ) : (
          <Link to={paths.ownBooking(state.reference)} className={buttonStyle.plain}>
            Your booking
          </Link>
        )}
        <Link to={paths.home} className={buttonStyle.plain}>
          Return Home
        </Link>
      </div>
    </Shell>
  );
}

type Paid = NonNullable<PaymentState['booking']>;

const again = (paid: Paid, series: PaymentState['series'] = []) =>
  bookAgain({ studioId: paid.studio_id, ...spanOf(paid), own: series.map(spanOf) }, new Date());

const spanOf = (one: { start_time: string; end_time: string }) => ({
  start: new Date(one.start_time),
  end: new Date(one.end_time),
});

function Span({ booking, codeHeld, picture }: { booking: Paid; codeHeld: boolean; picture: ReactNode }) {
  const start = new Date(booking.start_time);
  return (
    <div className="mb-10">
      <BookedSpan
        studioName={booking.studio_name}
        start={start}
        end={new Date(booking.end_time)}
        codeAt={codeHeld ? null : releaseOf(start)}
        picture={picture}
      />
    </div>
  );
}

const STEPS = [
  { Icon: AlarmClock, text: ARRIVE_EARLY },
  { Icon: KeyRound, text: 'Open the door with the code from our email or from your access code page.' },
  { Icon: Disc3, text: 'Play. The door locks behind you; a new code is one tap away.' },
] as const;

function WhatsNext() {
  return (
    <section className="mt-10">
      <h2 className="text-3xl">What's next</h2>
      <ol className="mt-4 grid gap-px bg-line sm:grid-cols-3">
        {STEPS.map(({ Icon, text }, at) => (
          <li key={text} className="flex gap-4 bg-booth p-5 sm:flex-col">
            <span aria-hidden="true" className="flex shrink-0 items-center justify-between gap-3 text-signal">
              <Icon className="size-8" strokeWidth={1.75} />
              <span className="poster text-3xl text-edge max-sm:hidden">{at + 1}</span>
            </span>
            <span className="text-fog">{text}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Says when the access code comes, with the exact time when it is certain. */
function codeAt(start: string | undefined): string {
  const at = start === undefined ? null : releaseOf(new Date(start));
  if (at === null)
    return 'You’ll get your access code 15 minutes before you start, or straight away if you start within the hour.';
  return `You’ll get your access code 15 minutes before you start: on ${formatStudioDate(at, 'medium')} at ${formatStudioTime(at)} (Sydney time).`;
}

/** When the access code of a booking is shown; null when it is on its way already. */
function releaseOf(start: Date): Date | null {
  return mailIsImmediate(start, new Date()) ? null : new Date(start.getTime() - settings.releaseLeadMinutes * 60_000);
}

const RELEASED_FIRST =
  'This booking was cancelled before your payment arrived. If your card was charged, you’ll get all of it back.';
const WHY_NOT: Readonly<Partial<Record<PaymentState['payment'], string>>> = {
  failed: 'Your bank couldn’t complete the payment, so the time is free again. Nothing was charged.',
  processing:
    'Your payment hadn’t arrived when your session started, so the booking is cancelled. If the money still arrives, we’ll send all of it back.',
};

function Cancelled({ state }: { state: PaymentState }) {
  const { email } = useBusiness();
  return (
    <Shell back={BACK} title="Not booked">
      <Notice tone="warn">
        <p>{WHY_NOT[state.payment] ?? RELEASED_FIRST}</p>
        <p className="mt-2 text-sm text-fog">
          Reference {state.reference}. Questions?{' '}
          <a className="underline" href={`mailto:${email}`}>
            {email}
          </a>
        </p>
      </Notice>
      <Link to={paths.booking} className={`${buttonStyle.signal} mt-6`}>
        Return to Booking
      </Link>
    </Shell>
  );
}

/** The new hours of a change were let go; the booking is as it was. */
function NotChanged({ state: { payment, reference } }: { state: PaymentState }) {
  return (
    <Shell back={BACK} title="Not changed">
      <Notice tone="warn">
        <p>
          {payment === 'failed' || payment === 'expired'
            ? 'The payment didn’t go through, so your booking is as it was. Nothing was charged.'
            : 'The new hours were released before your payment arrived, so your booking is as it was. If your card was charged, you’ll get all of it back.'}
        </p>
      </Notice>
      <Link to={paths.ownBooking(reference)} className={`${buttonStyle.signal} mt-6`}>
        Your booking
      </Link>
    </Shell>
  );
}

function Row({ name, value }: { name: string; value: string }) {
  return (
    <div className="flex flex-wrap justify-between gap-x-6 bg-booth px-5 py-3">
      <dt className="text-fog">{name}</dt>
      <dd className="font-bold">{value}</dd>
    </div>
  );
}
