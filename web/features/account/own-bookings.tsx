import { type ReactNode, useState } from 'react';
import type { OwnBooking } from '#web/data/bookings/booking.ts';
import { useWaitlist } from '#web/data/finding/waitlist.ts';
import { isFirstInSeries, isOpenHold, countRemaining, useOwnBookings } from '#web/data/bookings/own-bookings.ts';
import { paths } from '#web/lib/paths.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Link } from '#web/router/router.tsx';
import { buttonStyle } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Loaded } from '#web/ui/progress.tsx';
import { Empty, Notice } from '#web/ui/notice.tsx';
import { PastBookings, ProcessingBooking, UpcomingBooking } from './booking-cards.tsx';
import { CancelQuestion } from './cancel-question.tsx';
import { UnpaidBooking } from './unpaid-booking.tsx';

/** Renders the picture of a room, given the room's name. */
type Picture = (studioName: string) => ReactNode;

/** Lists unpaid holds with Finish paying, payments in process, upcoming bookings with access code and Cancel, and past ones collapsed. */
export function OwnBookings({ userId, picture }: { userId: string; picture?: Picture }) {
  const bookings = useOwnBookings(userId);
  return (
    <Loaded query={bookings} what="your bookings" skeleton="h-56">
      {(own) => <BookingList userId={userId} bookings={own} picture={picture} />}
    </Loaded>
  );
}

function BookingList({
  userId,
  bookings,
  picture,
}: {
  userId: string;
  bookings: readonly OwnBooking[];
  /** The picture that is shown with the next booking. */
  picture: Picture | undefined;
}) {
  const now = useNow(30_000);
  const waitlist = useWaitlist(userId);
  const isHolding = waitlist.data?.some(({ claimUntil }) => claimUntil !== null && claimUntil > now) === true;
  const [cancelling, setCancelling] = useState<OwnBooking | null>(null);
  const [done, setDone] = useState<string | null>(null);
  const upcoming = bookings.filter((booking) => booking.status === 'confirmed' && booking.endTime > now).toReversed();
  const unpaid = bookings.filter((booking) => isOpenHold(booking, now) && isFirstInSeries(booking));
  const processing = bookings.filter(
    (booking) => booking.status === 'pending' && booking.payment?.state === 'processing' && isFirstInSeries(booking),
  );
  const past = bookings.filter((booking) => booking.status !== 'pending' && !upcoming.includes(booking));
  return (
    <div className="space-y-4">
      {done === null ? null : (
        <Notice tone="good">
          <p>{done}</p>
        </Notice>
      )}
      {unpaid.map((hold) => (
        <UnpaidBooking key={hold.id} hold={hold} />
      ))}
      {processing.map((booking) => (
        <ProcessingBooking key={booking.id} booking={booking} />
      ))}
      {/* Hours that are held for the customer are listed above. Nothing is shown until it is known whether there are any. */}
      {upcoming.length + processing.length + unpaid.length === 0 && !waitlist.isPending && !isHolding ? (
        <NothingAhead first={bookings.length === 0} />
      ) : null}
      {upcoming.map((booking, index) => (
        <UpcomingBooking
          key={booking.id}
          booking={booking}
          own={bookings}
          now={now}
          picture={index === 0 ? picture?.(booking.studioName) : null}
          onCancel={() => setCancelling(booking)}
        />
      ))}
      {past.length > 0 ? <PastBookings bookings={past} own={bookings} now={now} /> : null}
      <Dialog open={cancelling !== null} title="Cancel this booking?" onClose={() => setCancelling(null)}>
        {cancelling ? (
          <CancelQuestion
            booking={cancelling}
            remaining={countRemaining(cancelling, now)}
            now={now}
            onKeep={() => setCancelling(null)}
            onDone={(message) => {
              setDone(message);
              setCancelling(null);
            }}
          />
        ) : null}
      </Dialog>
    </div>
  );
}

function NothingAhead({ first }: { first: boolean }) {
  return (
    <Empty>
      <p className="text-lg text-chalk">{first ? 'No bookings yet' : 'Nothing coming up'}</p>
      <p className="mt-1">Pick a room and your hours, and your access code will show up here.</p>
      <Link to={paths.booking} className={`${buttonStyle.signal} mt-5`}>
        Book Now
      </Link>
    </Empty>
  );
}
