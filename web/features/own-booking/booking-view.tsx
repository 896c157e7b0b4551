import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { changeTerms } from '#rules/cancellation.ts';
import { formatStudioDate, formatStudioRange, formatStudioTime } from '#rules/studio-time.ts';
import { bookAgain } from '#web/data/finding/again.ts';
import { pollWhile, useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
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
import { MoveForm } from './move-form.tsx';
import { type BookingPage, readOwnBooking } from './queries.ts';
import { Receipts } from './receipts.tsx';
import { Timeline } from './timeline.tsx';
import { WaitingMove } from './waiting-move.tsx';

/** Loaded only where the page says that passes are made. */
const passesAreMade = (): boolean => document.querySelector(`meta[name="wallets"]:not([content=""])`) !== null;
const WalletButtons = lazyPart(async () => ({ default: (await import('./wallet-buttons.tsx')).WalletButtons }));

const BACK = { to: paths.bookings, label: 'Your bookings' };
const POLL_MS = 30_000;

type Room = { readonly id: string; readonly name: string };
/** Parts of other features for a confirmed booking. */
type SessionParts = (booking: BookingPage) => ReactNode;
/** Asks before the booking is cancelled. */
export type CancelForm = (booking: BookingPage, now: Date, close: () => void) => ReactNode;

/** Shows an own booking by its id or reference, with all that its customer can do. */
export function BookingView({
  bookingKey,
  userId,
  rooms,
  cancelForm,
  sessionParts,
  aheadParts,
  orderPart,
}: {
  bookingKey: string;
  userId: string;
  rooms: readonly Room[];
  cancelForm: CancelForm;
  /** What a confirmed booking needs during its session and afterwards. */
  sessionParts?: SessionParts;
  /** What a confirmed booking that is not over shows besides. */
  aheadParts?: SessionParts;
  /** The other bookings of its order; null when it was made alone. */
  orderPart?: SessionParts;
}) {
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
  return (
    <Found
      booking={read.data}
      userId={userId}
      rooms={rooms}
      cancelForm={cancelForm}
      sessionParts={sessionParts}
      aheadParts={aheadParts}
      orderPart={orderPart}
    />
  );
}

function Found({
  booking,
  userId,
  rooms,
  cancelForm,
  sessionParts,
  aheadParts,
  orderPart,
}: {
  booking: BookingPage;
  userId: string;
  rooms: readonly Room[];
  cancelForm: CancelForm;
  sessionParts: SessionParts | undefined;
  aheadParts: SessionParts | undefined;
  orderPart: SessionParts | undefined;
}) {
  const now = useNow(30_000);
  const [doing, setDoing] = useState<Doing | null>(null);
  const close = (): void => setDoing(null);
  const ahead = booking.status === 'confirmed' && booking.endTime > now;
  return (
    <Shell
      back={BACK}
      title={booking.studioName}
      lead={<p>{formatStudioRange(booking.startTime, booking.endTime)}, Sydney time</p>}
    >
      <div className="space-y-10">
        <div className="space-y-5">
          <State booking={booking} now={now} />
          {booking.status === 'confirmed' ? sessionParts?.(booking) : null}
          {booking.waiting === null ? null : <WaitingMove waiting={booking.waiting} now={now} />}
          <Actions booking={booking} now={now} onDo={setDoing} />
        </div>
        {ahead ? aheadParts?.(booking) : null}
        {orderPart?.(booking)}
        {ahead ? <CalendarLinks booking={booking} /> : null}
        {ahead && passesAreMade() ? <WalletButtons bookingId={booking.id} /> : null}
        <Money booking={booking} />
        {booking.confirmedAt === null ? null : <Receipts booking={booking} />}
        <Timeline booking={booking} now={now} />
      </div>
      <Dialog open={doing === 'move'} title="Move your booking" onClose={close}>
        <MoveForm booking={booking} rooms={rooms} userId={userId} onDone={close} />
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

/** What the customer can do now, and until when. */
function Actions({ booking, now, onDo }: { booking: BookingPage; now: Date; onDo: (doing: Doing) => void }) {
  const business = useBusiness();
  const over = booking.status !== 'confirmed' || booking.endTime <= now;
  const next = bookAgain(
    {
      studioId: booking.studioId,
      start: booking.startTime,
      end: booking.endTime,
      cancelled: booking.status === 'cancelled',
    },
    now,
  );
  const again = (
    <Link to={next.to} className={over ? buttonStyle.signal : buttonStyle.quiet}>
      {over ? `Book again${next.day === '' ? '' : `, ${next.day}`}` : 'Same time next week'}
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
  if (over) return <div className="flex flex-wrap gap-3">{again}</div>;
  const freeHours = booking.freeCancelHours ?? business.freeCancelHours;
  const terms = changeTerms({ start: booking.startTime, end: booking.endTime }, now, freeHours);
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
        {again}
      </div>
      <p className="mt-3 text-sm text-dust">
        {terms.move
          ? `Free to move or cancel until ${formatStudioTime(terms.until)} on ${formatStudioDate(terms.until, 'medium')}, Sydney time: ${freeHours} hours before it starts, as agreed when you booked.`
          : `Moving and cancelling ended ${freeHours} hours before the start. For anything else, email ${business.email}.`}
      </p>
    </div>
  );
}
