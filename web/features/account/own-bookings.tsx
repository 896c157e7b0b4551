import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { cancellationTerms } from '#rules/cancellation.ts';
import { formatMoney } from '#rules/money.ts';
import { formatStudioDate, formatStudioRange, formatStudioTime } from '#rules/studio-time.ts';
import { venue } from '#rules/venue.ts';
import { describeError } from '#web/lib/errors.ts';
import { paths } from '#web/lib/paths.ts';
import { Button, buttonStyle } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { cancelBooking, type OwnBooking, readOwnBookings } from './queries.ts';

export function OwnBookings({ userId }: { userId: string }) {
  const client = useQueryClient();
  const bookings = useQuery({ queryKey: ['own-bookings', userId], queryFn: () => readOwnBookings(userId) });
  const [cancelling, setCancelling] = useState<OwnBooking | null>(null);
  const cancel = useMutation({
    mutationFn: (id: string) => cancelBooking(id),
    onSuccess: ({ refund, amount }) => {
      toast({
        title: 'Booking cancelled',
        description:
          refund === 'full' ? `${formatMoney(Math.round(amount * 100))} is on its way back to your card.` : '',
      });
      setCancelling(null);
      void client.invalidateQueries({ queryKey: ['own-bookings'] });
    },
    onError: (error) =>
      toast({
        title: 'Error',
        description: describeError(error, 'The booking could not be cancelled. Please try again.'),
        tone: 'bad',
      }),
  });

  if (bookings.isError) {
    return (
      <Notice tone="bad">
        <p>Your bookings could not be loaded.</p>
        <Button tone="plain" className="mt-3" onClick={() => void bookings.refetch()}>
          Try again
        </Button>
      </Notice>
    );
  }
  if (!bookings.data) return <div className="skeleton h-32" role="status" aria-label="Loading your bookings" />;
  const now = new Date();
  const upcoming = bookings.data
    .filter((one) => one.status === 'confirmed' && new Date(one.end_time) > now)
    .toReversed();
  const past = bookings.data.filter((one) => one.status !== 'pending' && !upcoming.includes(one));
  return (
    <div className="space-y-4">
      {upcoming.length === 0 ? (
        <p className="text-fog">
          Nothing booked.{' '}
          <Link to={paths.booking} className="text-signal underline underline-offset-4">
            Book a session
          </Link>
        </p>
      ) : null}
      {upcoming.map((booking) => (
        <Upcoming key={booking.id} booking={booking} now={now} onCancel={() => setCancelling(booking)} />
      ))}
      {past.length > 0 ? (
        <details className="bg-booth p-4">
          <summary className="min-h-8 cursor-pointer font-semibold">Past and cancelled ({past.length})</summary>
          <ul className="mt-3 space-y-2 text-sm text-fog">
            {past.map((booking) => (
              <li key={booking.id}>
                {formatStudioDate(new Date(booking.start_time), 'medium')}, {booking.studio_name}, {booking.reference}{' '}
                {booking.status === 'cancelled' ? '(cancelled)' : ''}
              </li>
            ))}
          </ul>
        </details>
      ) : null}
      <Dialog open={cancelling !== null} title="Cancel this booking?" onClose={() => setCancelling(null)}>
        {cancelling ? (
          <div className="space-y-4">
            <p>{formatStudioRange(new Date(cancelling.start_time), new Date(cancelling.end_time))}, Sydney time.</p>
            <p className="text-fog">
              {cancelling.final_cost > 0
                ? `You get all of ${formatMoney(Math.round(cancelling.final_cost * 100))} back to your card.`
                : 'Nothing was charged for it.'}{' '}
              This cannot be undone; somebody else may book the hours.
            </p>
            <div className="flex flex-wrap gap-3">
              <Button tone="danger" busy={cancel.isPending} onClick={() => cancel.mutate(cancelling.id)}>
                Cancel booking
              </Button>
              <Button tone="plain" onClick={() => setCancelling(null)}>
                Keep it
              </Button>
            </div>
          </div>
        ) : null}
      </Dialog>
    </div>
  );
}

function Upcoming({ booking, now, onCancel }: { booking: OwnBooking; now: Date; onCancel: () => void }) {
  const start = new Date(booking.start_time);
  const policy = cancellationTerms(start, now);
  return (
    <article className="border-l-4 border-signal bg-booth p-5">
      <h3 className="text-2xl">{booking.studio_name}</h3>
      <p className="mt-2">
        {formatStudioRange(start, new Date(booking.end_time))} <span className="text-dust">(Sydney time)</span>
      </p>
      <p className="text-sm text-fog">
        Reference {booking.reference}, {formatMoney(Math.round(booking.final_cost * 100))}
      </p>
      <div className="mt-4 flex flex-wrap gap-3">
        <Link to={paths.regeneratePin(booking.id)} className={buttonStyle.plain}>
          Access code
        </Link>
        {policy.allowed ? (
          <Button tone="danger" onClick={onCancel}>
            Cancel
          </Button>
        ) : null}
      </div>
      <p className="mt-2 text-sm text-dust">
        {policy.allowed
          ? `Free to cancel until ${formatStudioTime(policy.until)} on ${formatStudioDate(policy.until, 'medium')}.`
          : `To change this booking now, write to ${venue.email}.`}
      </p>
    </article>
  );
}
