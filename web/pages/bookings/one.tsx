import { useEffect } from 'react';
import { CancelQuestion } from '#web/features/account/cancel-question.tsx';
import { CrewPart } from '#web/features/crew/crew-part.tsx';
import { BookingView } from '#web/features/own-booking/booking-view.tsx';
import { FeedbackParts } from '#web/features/session/feedback.tsx';
import type { BookingPage } from '#web/features/own-booking/queries.ts';
import { DayPicker } from '#web/features/days/day-picker.tsx';
import { SeriesList } from '#web/features/own-booking/series-list.tsx';
import { SessionPanel } from '#web/features/session/session-panel.tsx';
import { PictureOfRoom } from '#web/features/studios/picture-of-room.tsx';
import { useStudios } from '#web/features/studios/queries.ts';
import type { Series } from '#web/data/bookings/booking.ts';
import { countRemaining, ownSpans, useOwnBookings } from '#web/data/bookings/own-bookings.ts';
import { useAuthDialog, useSession } from '#web/data/session.tsx';
import { paths } from '#web/lib/paths.ts';
import { useLocation } from '#web/router/router.tsx';
import { Button } from '#web/ui/button.tsx';
import { Waiting } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';

/** Shows one booking of the signed-in customer. The last segment of the address identifies it. */
export default function OwnBookingPage() {
  const key = decodeURIComponent(useLocation().pathname.split('/')[2] ?? '');
  const { status, user } = useSession();
  const { open } = useAuthDialog();
  useEffect(() => {
    if (status === 'out') open('sign-in');
  }, [status, open]);

  if (status === 'loading') return <Waiting label="One moment" />;
  if (!user)
    return (
      <Shell
        back={{ to: paths.home, label: 'Back to Home' }}
        title="Your booking"
        lead={<p>Sign in to see your booking.</p>}
      >
        <Button onClick={() => open('sign-in')}>Sign In</Button>
      </Shell>
    );
  return <OwnBooking key={key} bookingKey={key} userId={user.id} />;
}

function OwnBooking({ bookingKey, userId }: { bookingKey: string; userId: string }) {
  const studios = useStudios();
  const bookings = useOwnBookings(userId).data ?? [];
  const findSeries = ({ id }: BookingPage): Series | null =>
    bookings.find((booking) => booking.id === id)?.series ?? null;
  return (
    <BookingView
      bookingKey={bookingKey}
      userId={userId}
      rooms={studios.data ?? []}
      days={({ studioId, today, date, onDay }) => (
        <DayPicker flat studioIds={[studioId]} today={today} date={date} onDay={onDay} />
      )}
      ownSpans={({ studioId }) => ownSpans(bookings, studioId)}
      picture={({ studioName }) => <PictureOfRoom name={studioName} />}
      sessionParts={(booking) => <DuringSession booking={booking} />}
      feedbackParts={(booking) => <FeedbackParts booking={booking} userId={userId} />}
      cancelForm={(booking, now, close) => (
        <CancelQuestion
          booking={booking}
          remaining={countRemaining({ series: findSeries(booking) }, now)}
          now={now}
          onKeep={close}
          onDone={close}
        />
      )}
      seriesPart={(booking) => {
        const series = findSeries(booking);
        return series === null ? null : <SeriesList series={series} current={booking.id} />;
      }}
      aheadParts={({ id }) => <CrewPart bookingId={id} userId={userId} />}
    />
  );
}

/** The session controls, in white like the page at the door, because they are read in a dark room. */
function DuringSession({ booking: { id, startTime, endTime } }: { booking: BookingPage }) {
  return (
    <div className="bg-white p-5 empty:hidden sm:p-6">
      <SessionPanel session={{ id, token: null, start: startTime, end: endTime }} online />
    </div>
  );
}
