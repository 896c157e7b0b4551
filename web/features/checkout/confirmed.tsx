import { AlarmClock, Disc3, KeyRound, MapPin, Settings2, UserPlus } from 'lucide-react';
import type { ComponentType, ReactNode } from 'react';
import { ARRIVE_EARLY, mailIsImmediate } from '#rules/access.ts';
import { formatDollars, formatMoney } from '#rules/money.ts';
import { formatStudioDate, formatStudioRange, formatStudioTime } from '#rules/studio-time.ts';
import { constants } from '#rules/venue.ts';
import { bookAgain } from '#web/data/finding/again.ts';
import { BookedSpan } from '#web/lib/business/booked-span.tsx';
import { useBusiness } from '#web/lib/business/business.ts';
import { FindUs } from '#web/lib/business/find-us.tsx';
import { HeldCode } from '#web/lib/business/held-code.tsx';
import { mapUrl, paths } from '#web/lib/paths.ts';
import { Link } from '#web/router/router.tsx';
import { buttonStyle } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';
import { Fact, Facts } from '#web/ui/table.tsx';
import type { PaidBooking, PaymentState } from './queries.ts';

/** Components from other features. */
export type ConfirmedParts = {
  /** Renders the picture of a room, given the room's name. */
  readonly picture?: (studioName: string) => ReactNode;
  /** Renders the way to save the customer's own confirmed booking. */
  readonly passes?: (bookingId: string) => ReactNode;
  /** Renders the link that adds the booking to the customer's calendar. */
  readonly calendar?: (booking: {
    readonly id: string;
    readonly reference: string;
    readonly studioName: string;
    readonly startTime: Date;
    readonly endTime: Date;
  }) => ReactNode;
};

/** A paid booking, or a paid change of a booking: when and where it is, what to do next, and what was paid. Other visitors see only its reference. */
export function Confirmed({ state, picture, passes, calendar }: ConfirmedParts & { state: PaymentState }) {
  const { booking } = state;
  const held = state.codeHeld === true;
  return (
    <Shell
      wide
      back={{ to: paths.home, label: 'Return Home' }}
      title={state.change === undefined ? 'Booking confirmed' : 'Booking changed'}
      lead={<p>We’ve emailed you the details.{held ? null : ` ${codeAt(booking?.startTime)}`}</p>}
    >
      {held ? (
        <div className="mb-8">
          <Notice tone="warn">
            <HeldCode />
          </Notice>
        </div>
      ) : null}
      <div className="grid gap-x-16 gap-y-10 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="min-w-0 space-y-10">
          {booking ? <Span booking={booking} codeHeld={held} picture={picture?.(booking.studioName)} /> : null}
          <Actions state={state} />
          {booking && !state.series
            ? calendar?.({ ...booking, id: state.bookingId, reference: state.reference })
            : null}
          {booking && !state.series ? <div className="empty:hidden">{passes?.(state.bookingId)}</div> : null}
          <WhatsNext />
          <FindUs />
        </div>
        <div className="min-w-0 space-y-6">
          <Details state={state} />
          <NextLinks state={state} />
        </div>
      </div>
    </Shell>
  );
}

const toSpan = ({ startTime: start, endTime: end }: Pick<PaidBooking, 'startTime' | 'endTime'>) => ({ start, end });

/** Actions that customers take before they arrive. */
function Actions({ state }: { state: PaymentState }) {
  const { address } = useBusiness();
  const own = paths.ownBooking(state.reference);
  return (
    <section aria-label="Your booking" className="space-y-3">
      <Link to={paths.regeneratePin(state.bookingId)} className={`${buttonStyle.signal} w-full gap-3 sm:w-auto`}>
        <KeyRound aria-hidden="true" className="size-5" />
        Your access code
      </Link>
      <ul className="grid gap-2 sm:grid-cols-3">
        <Action Icon={Settings2}>
          <Link to={own} className={`${buttonStyle.plain} grow`}>
            Manage your booking
          </Link>
        </Action>
        <Action Icon={UserPlus}>
          <Link to={`${own}#crew`} className={`${buttonStyle.plain} grow`}>
            Invite friends
          </Link>
        </Action>
        <Action Icon={MapPin}>
          <a href={mapUrl(address)} target="_blank" rel="noreferrer" className={`${buttonStyle.plain} grow`}>
            Get directions
          </a>
        </Action>
      </ul>
    </section>
  );
}

function Action({ Icon, children }: { Icon: ComponentType<{ className: string }>; children: ReactNode }) {
  return (
    <li className="relative flex">
      <Icon aria-hidden="true" className="pointer-events-none absolute top-3.5 left-4 size-5 text-signal" />
      {children}
    </li>
  );
}

/** When and where the booking is, and what was paid. */
function Details({ state }: { state: PaymentState }) {
  const { booking } = state;
  const { couponCents: coupon = 0, discountCents: volume = 0 } = booking ?? {};
  return (
    <Facts look="boxes">
      <Fact name="Reference">{state.reference}</Fact>
      {booking ? (
        <>
          <Fact name="Studio">{booking.studioName}</Fact>
          {state.series ? (
            state.series.map((entry, index) => (
              <Fact key={entry.reference} name={index === 0 ? `${state.series?.length ?? 0} dates, Sydney time` : ''}>
                {formatStudioRange(entry.startTime, entry.endTime)}, {entry.reference}
              </Fact>
            ))
          ) : (
            <Fact name="When">{formatStudioRange(booking.startTime, booking.endTime)} (Sydney time)</Fact>
          )}
          <Fact name="Hours">{booking.totalHours}</Fact>
          <Fact name="Price">{formatMoney(booking.baseCents)}</Fact>
          {volume > 0 ? <Fact name="Volume discount">-{formatMoney(volume)}</Fact> : null}
          {coupon > 0 ? <Fact name="Coupon">-{formatMoney(coupon)}</Fact> : null}
          {typeof state.change === 'number' ? <Fact name="Paid now">{formatDollars(state.change)}</Fact> : null}
          <Fact name={state.change === undefined ? 'Paid' : 'Paid in all'}>{formatMoney(booking.finalCents)}</Fact>
        </>
      ) : (
        <Fact name="Details">Sign in to see them</Fact>
      )}
    </Facts>
  );
}

const getRepeat = (paid: PaidBooking, series: PaymentState['series'] = []) =>
  bookAgain({ studioId: paid.studioId, ...toSpan(paid), own: series.map(toSpan) }, new Date());

/** Links to the next pages. */
function NextLinks({ state: { booking, series, change } }: { state: PaymentState }) {
  const later = booking ? getRepeat(booking, series) : null;
  return (
    <div className="flex flex-col gap-2">
      {later ? (
        <Link to={later.to} className={buttonStyle.plain}>
          {later.sameTime}
        </Link>
      ) : null}
      {change === undefined ? (
        <Link to={paths.booking} className={buttonStyle.plain}>
          Book Another Session
        </Link>
      ) : null}
      <Link to={paths.home} className={buttonStyle.quiet}>
        Return Home
      </Link>
    </div>
  );
}

function Span({ booking, codeHeld, picture }: { booking: PaidBooking; codeHeld: boolean; picture: ReactNode }) {
  return (
    <BookedSpan
      studioName={booking.studioName}
      start={booking.startTime}
      end={booking.endTime}
      codeAt={codeHeld ? null : getReleaseTime(booking.startTime)}
      picture={picture}
    />
  );
}

const STEPS = [
  { Icon: AlarmClock, text: ARRIVE_EARLY },
  { Icon: KeyRound, text: 'Open the door with the code from our email or from your access code page.' },
  { Icon: Disc3, text: 'Play. The door locks behind you; a new code is one tap away.' },
] as const;

function WhatsNext() {
  return (
    <section>
      <h2 className="text-3xl">What's next</h2>
      <ol className="mt-4 grid gap-px bg-line sm:grid-cols-3">
        {STEPS.map(({ Icon, text }, index) => (
          <li key={text} className="flex gap-4 bg-booth p-5 sm:flex-col">
            <span aria-hidden="true" className="flex shrink-0 items-center justify-between gap-3 text-signal">
              <Icon className="size-8" strokeWidth={1.75} />
              <span className="poster text-3xl text-edge max-sm:hidden">{index + 1}</span>
            </span>
            <span className="text-fog">{text}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Describes when the access code arrives, with the exact time if it is certain. */
function codeAt(start: Date | undefined): string {
  const at = start === undefined ? null : getReleaseTime(start);
  if (at === null)
    return 'You’ll get your access code 15 minutes before you start, or straight away if you start within the hour.';
  return `You’ll get your access code 15 minutes before you start: on ${formatStudioDate(at, 'medium')} at ${formatStudioTime(at)}.`;
}

/** Returns when the access code of a booking is released; null if it is already on its way. */
function getReleaseTime(start: Date): Date | null {
  return mailIsImmediate(start, new Date()) ? null : new Date(start.getTime() - constants.releaseLeadMinutes * 60_000);
}
