import type { ReactNode } from 'react';
import { cancellationTerms, describeCancellation } from '#rules/cancellation.ts';
import { formatMoney } from '#rules/money.ts';
import { formatStudioDate, formatStudioRange, formatStudioTime } from '#rules/studio-time.ts';
import type { OwnBooking } from '#web/data/bookings/booking.ts';
import { bookAgain } from '#web/data/finding/again.ts';
import { costOfHold, ownSpans } from '#web/data/bookings/own-bookings.ts';
import { WidePicture } from '#web/lib/business/booked-span.tsx';
import { useBusiness } from '#web/lib/business/business.ts';
import { DayBand } from '#web/lib/business/day-band.tsx';
import { paths } from '#web/lib/paths.ts';
import { Link } from '#web/router/router.tsx';
import { Button, buttonStyle } from '#web/ui/button.tsx';

/** A paid booking that has not ended. */
export function UpcomingBooking({
  booking,
  own,
  now,
  picture = null,
  onCancel,
}: {
  booking: OwnBooking;
  /** All bookings of its customer. */
  own: readonly OwnBooking[];
  now: Date;
  /** The picture of the room, for the next booking only. */
  picture?: ReactNode;
  onCancel: () => void;
}) {
  const { startTime: start, endTime: end } = booking;
  const next = picture !== null;
  return (
    <article className="border-l-4 border-signal bg-booth">
      {next ? <WidePicture ground="booth">{picture}</WidePicture> : null}
      <div className={`px-5 pb-5 sm:px-6 sm:pb-6 ${next ? 'relative -mt-8' : 'pt-5 sm:pt-6'}`}>
        <div className="flex flex-wrap items-baseline justify-between gap-x-4">
          <h3 className={next ? 'text-4xl sm:text-5xl' : 'text-3xl'}>
            <Link to={paths.ownBooking(booking.reference)} className="hover:text-signal">
              {booking.studioName}
            </Link>
          </h3>
          {start <= now ? <p className="font-bold text-signal">On now</p> : null}
        </div>
        <p className="mt-3 text-lg">{formatStudioRange(start, end)}</p>
        <p className="mt-1 text-sm text-fog">
          Reference <strong className="text-chalk">{booking.reference}</strong>, {formatMoney(booking.finalCents)}
          {formatPlace(booking)}
        </p>
        {next ? <DayBand start={start} end={end} /> : null}
        {booking.move !== null && booking.move.until > now ? (
          <MoveNote reference={booking.reference} move={booking.move} />
        ) : null}
        <UpcomingActions booking={booking} own={own} now={now} next={next} onCancel={onCancel} />
      </div>
    </article>
  );
}

/** Shows that a move awaits its payment. */
function MoveNote({ reference, move }: { reference: string; move: NonNullable<OwnBooking['move']> }) {
  return (
    <p className="mt-4 text-warn">
      Moves to {move.studioName}, {formatStudioRange(move.startTime, move.endTime)}, when you’ve paid{' '}
      {formatMoney(move.cents)}. We hold those hours until {formatStudioTime(move.until)} on{' '}
      {formatStudioDate(move.until, 'medium')}.{' '}
      <Link to={paths.ownBooking(reference)} className="underline underline-offset-4 hover:text-chalk">
        Pay, or keep your old hours
      </Link>
    </p>
  );
}

/** The actions for a booking that has not ended, and until when each is possible. */
function UpcomingActions({
  booking,
  own,
  now,
  next,
  onCancel,
}: {
  booking: OwnBooking;
  own: readonly OwnBooking[];
  now: Date;
  /** Whether this is the next booking. It shows its code first, because that is what people look for. */
  next: boolean;
  onCancel: () => void;
}) {
  const business = useBusiness();
  const rule = [booking.termsStart, now, booking.freeCancelHours ?? business.freeCancelHours] as const;
  const policy = cancellationTerms(...rule);
  // A free booking has nothing to refund.
  const terms = policy.allowed || booking.finalCents > 0 ? describeCancellation(...rule, booking.startTime) : '';
  const later = getRepeat(booking, own, now);
  return (
    <>
      <div className="mt-5 grid grid-cols-2 gap-3 max-sm:*:px-3 max-sm:*:text-sm max-sm:[&>:last-child:nth-child(odd)]:col-span-2 sm:flex sm:flex-wrap">
        <Link to={paths.regeneratePin(booking.id)} className={next ? buttonStyle.signal : buttonStyle.plain}>
          Access code
        </Link>
        <Link to={paths.ownBooking(booking.reference)} className={buttonStyle.plain}>
          {policy.allowed ? 'Move, details, receipt' : 'Details, receipt'}
        </Link>
        <Link to={later.to} className={buttonStyle.plain}>
          {later.sameTime}
        </Link>
        {policy.allowed ? (
          <Button tone="danger" onClick={onCancel}>
            Cancel
          </Button>
        ) : null}
      </div>
      <p className="mt-3 text-sm text-dust">
        {terms}
        {policy.allowed ? '' : ` To change this booking now, email ${business.email}.`}
      </p>
    </>
  );
}

/** A booking whose payment takes the bank several days. It is held but not confirmed yet. */
export function ProcessingBooking({ booking }: { booking: OwnBooking }) {
  return (
    <article className="border-l-4 border-dashed border-warn bg-booth p-5 sm:p-6">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h3 className="text-3xl">{booking.studioName}</h3>
        <p className="font-bold">Payment processing</p>
      </div>
      <p className="mt-3 text-lg">
        {formatStudioRange(booking.startTime, booking.endTime)}
        {booking.series === null ? null : ` and ${booking.series.bookings.length - 1} more dates`}
      </p>
      <p className="mt-1 text-sm text-fog">
        Reference <strong className="text-chalk">{booking.reference}</strong>, {formatMoney(costOfHold(booking))}
      </p>
      <p className="mt-3 text-sm text-fog">
        Your bank is processing the payment, which can take a few business days. We’re holding your time, and we’ll
        email you as soon as we know.
      </p>
    </article>
  );
}

/** Formats the place of a booking in its series: ", 2 of 5 in a series"; '' for a single booking. */
function formatPlace({ id, series }: OwnBooking): string {
  const own = series?.bookings.find((booking) => booking.id === id);
  return series === null || own === undefined ? '' : `, ${own.place} of ${series.size} in a series`;
}

const PAST_LINK = 'inline-flex min-h-11 items-center underline decoration-edge underline-offset-4 hover:text-chalk';

/** Past and cancelled bookings, collapsed. */
export function PastBookings({
  bookings,
  own,
  now,
}: {
  bookings: readonly OwnBooking[];
  /** All bookings of their customer. */
  own: readonly OwnBooking[];
  now: Date;
}) {
  return (
    <details className="bg-booth p-4">
      <summary className="min-h-8 cursor-pointer font-semibold">Past and cancelled ({bookings.length})</summary>
      <ul className="mt-3 divide-y divide-line text-sm text-fog">
        {bookings.map((booking) => (
          <li key={booking.id} className="flex flex-wrap items-center justify-between gap-x-4 py-2">
            <span>
              {formatStudioDate(booking.startTime, 'medium')}, {booking.studioName}
              {booking.status === 'cancelled' ? ` (cancelled${moneyNote(booking)})` : ''}
            </span>
            <span className="flex gap-x-4">
              <Link to={paths.ownBooking(booking.reference)} className={PAST_LINK}>
                {booking.reference}
                <span className="sr-only">, details and receipt</span>
              </Link>
              <BookAgain {...getRepeat(booking, own, now)} />
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

const getRepeat = (booking: OwnBooking, own: readonly OwnBooking[], now: Date) =>
  bookAgain(
    {
      studioId: booking.studioId,
      start: booking.startTime,
      end: booking.endTime,
      cancelled: booking.status === 'cancelled',
      own: ownSpans(own, booking.studioId),
    },
    now,
  );

function BookAgain({ to, day }: { to: string; day: string }) {
  return (
    <Link to={to} className={`${PAST_LINK} whitespace-nowrap`}>
      Book again{day === '' ? '' : `, ${day}`}
    </Link>
  );
}

/** Describes what happened to the money of a past or cancelled booking; '' if nothing did. */
function moneyNote({ payment, status }: OwnBooking): string {
  if (payment === null) return '';
  if (payment.state === 'refund_pending' || payment.state === 'refund_failed') return ', refund on its way';
  if (payment.refundedCents > 0) return `, ${formatMoney(payment.refundedCents)} refunded`;
  return payment.state === 'failed' && status === 'cancelled' ? ', payment failed' : '';
}
