import { useEffect, useState } from 'react';
import { formatMoney } from '#rules/money.ts';
import { formatStudioRange } from '#rules/studio-time.ts';
import { useBusiness } from '#web/lib/business/business.ts';
import { AppError, describeError } from '#web/lib/errors.ts';
import { paths } from '#web/lib/paths.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Link, Redirect } from '#web/router/router.tsx';
import { buttonStyle } from '#web/ui/button.tsx';
import { Notice, Waiting } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';
import { Fact, Facts } from '#web/ui/table.tsx';
import { toast } from '#web/ui/toast.tsx';
import { Confirmed, type ConfirmedParts } from './confirmed.tsx';
import type { PaymentState } from './queries.ts';

const BACK = { to: paths.home, label: 'Return Home' };
/** Milliseconds after which the page mentions that the payment takes longer than usual. */
const LONG_MS = 30_000;

/** Shows the state of a payment: processing, confirmed, or why the booking is cancelled. */
export function PaymentResult({ state, ...parts }: ConfirmedParts & { state: PaymentState }) {
  if (state.status === 'confirmed') return <Confirmed state={state} {...parts} />;
  if (state.status === 'cancelled')
    return state.change === undefined ? <Cancelled state={state} /> : <NotChanged state={state} />;
  if (state.payment === 'processing') return <Delayed state={state} />;
  return <Processing reference={state.reference} asking={state.state === 'asking'} />;
}

/** Whether the server has no such payment. For other errors, the payment could not be read. */
export const isUnknownPayment = (error: Error | null): boolean =>
  error === null || (error instanceof AppError && (error.status === 404 || error.status === 400));

/** Shown if the payment is unknown. */
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

/** Shows that the result could not be read, with a number that the customer can quote to us, and links to the booking page. */
export function PaymentNotRead({ error, bookingId }: { error: Error | null; bookingId: string }) {
  const why = describeError(error, 'Failed to complete booking. Please contact support.');
  useEffect(() => {
    const reference = bookingId.slice(0, 8).toUpperCase();
    toast({ title: 'Booking Error', description: `${why} Reference ${reference}.`, tone: 'bad', ms: 60_000 });
  }, [why, bookingId]);
  return <Redirect to={paths.booking} />;
}

/** Never offers to pay again, because the payment may still arrive. */
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

/** Shown when the customer has finished but the bank takes several days. */
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
      <Facts look="boxes" className="mt-6">
        <Fact name="Reference">{state.reference}</Fact>
        {state.booking ? (
          <>
            <Fact name="Studio">{state.booking.studioName}</Fact>
            <Fact name="When">{formatStudioRange(state.booking.startTime, state.booking.endTime)} (Sydney time)</Fact>
            <Fact name="To pay">{formatMoney(state.booking.finalCents)}</Fact>
          </>
        ) : null}
      </Facts>
      <Link to={paths.home} className={`${buttonStyle.plain} mt-8`}>
        Return Home
      </Link>
    </Shell>
  );
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

/** Shown if the new hours of a change were released. The booking is unchanged. */
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
