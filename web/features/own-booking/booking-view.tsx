import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { changeTerms } from '#rules/cancellation.ts';
import type { Busy } from '#rules/slots.ts';
import { formatStudioDate, formatStudioRange, formatStudioTime } from '#rules/studio-time.ts';
import { constants } from '#rules/venue.ts';
import { bookAgain } from '#web/data/finding/again.ts';
import { pollWhile, useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { BookedSpan } from '#web/lib/business/booked-span.tsx';
import { HeldCode } from '#web/lib/business/held-code.tsx';
import { useBusiness } from '#web/lib/business/business.ts';
import { paths } from '#web/lib/paths.ts';
import { TimeLeft } from '#web/lib/time-left.tsx';
import { useNow } from '#web/lib/use-now.ts';
import { Link } from '#web/router/router.tsx';
import { Button, buttonStyle } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { lazyPart } from '#web/ui/load-part.ts';
import { Empty, LoadFailed, Notice, Waiting } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';
import { CalendarLinks } from './calendar-links.tsx';
import { ExtendForm } from './extend-form.tsx';
import { Money } from './money.tsx';
import { type DayPart, MoveForm, type MoveRoom } from './move-form.tsx';
import { type BookingPage, readOwnBooking } from './queries.ts';
import { Receipts } from './receipts.tsx';
import { Timeline } from './timeline.tsx';
import { WaitingMove } from './waiting-move.tsx';

/** Whether the server creates wallet passes, according to the page. Otherwise the buttons are not loaded. */
const passesAreMade = (): boolean => document.querySelector(`meta[name="wallets"]:not([content=""])`) !== null;
const WalletButtons = lazyPart(async () => ({ default: (await import('./wallet-buttons.tsx')).WalletButtons }));

const BACK = { to: paths.bookings, label: 'Your bookings' };
const POLL_MS = 30_000;

/** Renders a component of another feature. */
type Part = (booking: BookingPage) => ReactNode;
type Parts = {
  readonly rooms: readonly MoveRoom[];
  /** Renders the choice of the day of a move. */
  readonly days: DayPart;
  /** Renders the question before the booking is cancelled. */
  readonly cancelForm: (booking: BookingPage, now: Date, close: () => void) => ReactNode;
  /** Renders the controls for a confirmed booking during its session. */
  readonly sessionParts?: Part;
  /** Renders the reports and the rating of a confirmed booking. */
  readonly feedbackParts?: Part;
  /** Renders further content for a confirmed booking that has not ended. */
  readonly aheadParts?: Part;
  /** Renders the other bookings of its series; null for a single booking. */
  readonly seriesPart?: Part;
  /** Renders the picture of the room. */
  readonly picture?: Part;
  /** Returns the customer's bookings in the room. */
  readonly ownSpans?: (booking: BookingPage) => readonly Busy[];
};

/** Shows the customer's booking with this id or reference, with all actions. */
export function BookingView({ bookingKey, userId, ...parts }: Parts & { bookingKey: string; userId: string }) {
  const live = useLive(`user:${userId}`, queryKeys.ownBooking.all);
  const read = useQuery({
    queryKey: queryKeys.ownBooking.of(bookingKey, userId),
    queryFn: () => readOwnBooking(bookingKey),
    refetchInterval: pollWhile(live, POLL_MS),
  });
  if (read.isPending) return <Waiting label="Loading your booking" />;
  if (read.isError && !read.data)
    return (
      <Shell back={BACK} title="Your booking">
        <LoadFailed title="Your booking could not be loaded." onRetry={() => void read.refetch()} />
      </Shell>
    );
  if (read.data === null)
    return (
      <Shell back={BACK} title="Booking not found">
        <Empty>
          <p>There is no booking {bookingKey} in your account. Did you book with another email?</p>
          <Link to={paths.bookings} className={`${buttonStyle.plain} mt-5`}>
            Your bookings
          </Link>
        </Empty>
      </Shell>
    );
  return <Found booking={read.data} userId={userId} {...parts} />;
}

function Found({
  booking,
  userId,
  rooms,
  days,
  cancelForm,
  sessionParts,
  feedbackParts,
  aheadParts,
  seriesPart,
  picture,
  ownSpans,
}: Parts & { booking: BookingPage; userId: string }) {
  const now = useNow(30_000);
  const [doing, setDoing] = useState<Doing | null>(null);
  const close = (): void => setDoing(null);
  const ahead = booking.status === 'confirmed' && booking.endTime > now;
  return (
    <Shell
      wide
      back={BACK}
      title={booking.studioName}
      lead={<p>{formatStudioRange(booking.startTime, booking.endTime)}, Sydney time</p>}
    >
      <div className="grid gap-x-16 gap-y-10 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="min-w-0 space-y-10">
          <div className="space-y-5">
            {ahead ? <Span booking={booking} now={now} picture={picture?.(booking)} /> : null}
            <State booking={booking} now={now} />
            {ahead && booking.codeHeld ? (
              <Notice tone="warn">
                <HeldCode />
              </Notice>
            ) : null}
            {booking.status === 'confirmed' ? sessionParts?.(booking) : null}
            {booking.waiting === null ? null : <WaitingMove waiting={booking.waiting} now={now} />}
            <Actions booking={booking} own={ownSpans?.(booking) ?? []} now={now} onDo={setDoing} />
            {booking.status === 'confirmed' ? feedbackParts?.(booking) : null}
          </div>
          {ahead ? aheadParts?.(booking) : null}
          {seriesPart?.(booking)}
          {ahead ? <CalendarLinks booking={booking} /> : null}
          {ahead && passesAreMade() ? <WalletButtons bookingId={booking.id} /> : null}
        </div>
        <div className="min-w-0 space-y-10">
          <Money booking={booking} />
          {booking.confirmedAt === null ? null : <Receipts booking={booking} />}
          <Timeline booking={booking} now={now} />
        </div>
      </div>
      <Dialog open={doing === 'move'} title="Move your booking" onClose={close}>
        <MoveForm booking={booking} rooms={rooms} days={days} userId={userId} onDone={close} />
      </Dialog>
      <Dialog open={doing === 'extend'} title="Stay longer" onClose={close}>
        <ExtendForm booking={booking} userId={userId} onDone={close} />
      </Dialog>
      <Dialog open={doing === 'cancel'} title="Cancel this booking?" onClose={close}>
        {cancelForm(booking, now, close)}
      </Dialog>
    </Shell>
  );
}

type Doing = 'move' | 'extend' | 'cancel';

/** Shows the hours of a booking that has not ended, and when its code is released if that is still ahead and certain. */
function Span({ booking, now, picture }: { booking: BookingPage; now: Date; picture: ReactNode }) {
  const code = new Date(booking.startTime.getTime() - constants.releaseLeadMinutes * 60_000);
  const comes = now < code && !booking.codeHeld;
  return <BookedSpan start={booking.startTime} end={booking.endTime} codeAt={comes ? code : null} picture={picture} />;
}

function State({ booking, now }: { booking: BookingPage; now: Date }) {
  const { status, startTime, endTime, processing } = booking;
  const [word, look] =
    status === 'cancelled'
      ? ['Cancelled', 'text-bad']
      : status === 'pending'
        ? [processing ? 'Payment processing' : 'Not paid yet', 'text-warn']
        : endTime <= now
          ? ['Past', 'text-fog']
          : startTime <= now
            ? ['On now', 'text-signal']
            : ['Confirmed', 'text-good'];
  return (
    <p className="flex flex-wrap items-baseline gap-x-4 text-lg">
      <strong className={look}>{word}</strong>
      {word === 'On now' ? (
        <span className="text-fog">
          <TimeLeft until={endTime} /> left
        </span>
      ) : null}
      <span className="text-fog">
        Reference <strong className="text-chalk">{booking.reference}</strong>
      </span>
    </p>
  );
}

/** The actions for the customer, and until when each is possible. */
function Actions({
  booking,
  own,
  now,
  onDo,
}: {
  booking: BookingPage;
  own: readonly Busy[];
  now: Date;
  onDo: (doing: Doing) => void;
}) {
  const business = useBusiness();
  const over = booking.status !== 'confirmed' || booking.endTime <= now;
  const next = bookAgain(
    {
      studioId: booking.studioId,
      start: booking.startTime,
      end: booking.endTime,
      cancelled: booking.status === 'cancelled',
      own,
    },
    now,
  );
  const repeatLink = (
    <Link
      to={next.to}
      className={over ? `${buttonStyle.signal} max-sm:w-full` : `${buttonStyle.quiet} max-sm:col-span-2`}
    >
      {over ? `Book again${next.day === '' ? '' : `, ${next.day}`}` : next.sameTime}
    </Link>
  );
  if (booking.status === 'pending' && !booking.processing)
    return (
      <Notice tone="warn">
        <p>This booking isn’t paid yet. You can finish paying, or release its hours, in your list of bookings.</p>
        <Link to={paths.bookings} className={`${buttonStyle.signal} mt-4`}>
          Finish paying
        </Link>
      </Notice>
    );
  if (over) return <div className="flex flex-wrap gap-3">{repeatLink}</div>;
  const freeHours = booking.freeCancelHours ?? business.freeCancelHours;
  const terms = changeTerms(
    { start: booking.startTime, end: booking.endTime, termsStart: booking.termsStart },
    now,
    freeHours,
  );
  const starts = booking.termsStart < booking.startTime ? 'the start before we moved it' : 'it starts';
  return (
    <div>
      <div className="grid grid-cols-2 gap-3 sm:flex sm:flex-wrap">
        <Link to={paths.regeneratePin(booking.id)} className={buttonStyle.signal}>
          Access code
        </Link>
        {terms.move ? (
          <Button tone="plain" onClick={() => onDo('move')}>
            Move
          </Button>
        ) : null}
        <Button tone="plain" onClick={() => onDo('extend')}>
          Stay longer
        </Button>
        {terms.move ? (
          <Button tone="danger" onClick={() => onDo('cancel')}>
            Cancel
          </Button>
        ) : null}
        {repeatLink}
      </div>
      <p className="mt-3 text-sm text-dust">
        {terms.move
          ? `Free to move or cancel until ${formatStudioTime(terms.until)} on ${formatStudioDate(terms.until, 'medium')}: ${freeHours} hours before ${starts}, as agreed when you booked.`
          : `Moving and cancelling ended ${freeHours} hours before ${starts}, so there’s no refund. For anything else, email ${business.email}.`}
      </p>
    </div>
  );
}
