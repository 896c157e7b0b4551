import { useMutation } from '@tanstack/react-query';
import { formatMoney } from '#rules/money.ts';
import { formatStudioRange } from '#rules/studio-time.ts';
import { describeError } from '#web/lib/errors.ts';
import { toast } from '#web/ui/toast.tsx';
import { BOOKING_CHANGES } from '#web/data/query-keys.ts';
import { type BookingDetails, cancelBooking, markPaid } from './queries.ts';
import { ConfirmStep } from './confirm-step.tsx';
import { describeMail, nameBookings } from './money-words.ts';

/** Ends a move that awaits its payment. The booking stays unchanged. */
export function CallOffStep({
  booking,
  waiting,
  onDone,
}: {
  booking: BookingDetails;
  waiting: NonNullable<BookingDetails['waiting']>;
  onDone: () => void;
}) {
  const callOff = useMutation({
    mutationFn: () => cancelBooking(waiting.holdId, 'none', 'Move cancelled'),
    meta: { handled: true, invalidates: BOOKING_CHANGES },
    onSuccess: () => {
      toast({ title: 'Move cancelled', description: `${booking.reference} is unchanged.` });
      onDone();
    },
  });
  return (
    <ConfirmStep
      button="Cancel move"
      busy={callOff.isPending}
      problem={
        callOff.error === null ? null : describeError(callOff.error, 'Nothing was changed. Check your connection.')
      }
      onConfirm={() => callOff.mutate()}
      onBack={onDone}
    >
      <p>
        {waiting.studioName}, {formatStudioRange(waiting.startTime, waiting.endTime)} is available immediately, and the
        payment link stops working.
      </p>
      <p>{describeMail(booking)}</p>
    </ConfirmStep>
  );
}

/** Confirms a booking, or its whole series, whose payment link was not used because the customer paid in another way. */
export function MarkPaidStep({ booking, onDone }: { booking: BookingDetails; onDone: () => void }) {
  const { bookings, cents } = booking.heldTogether ?? { bookings: 1, cents: booking.finalCents };
  const mark = useMutation({
    // The number of bookings is passed when the request is sent, because they are no longer held afterwards.
    mutationFn: (_held: { bookings: number }) => markPaid(booking.id),
    meta: { handled: true, invalidates: BOOKING_CHANGES },
    onSuccess: (_answer, held) => {
      const title = `${nameBookings(booking.reference, held.bookings)} paid and confirmed`;
      toast({ title, description: describeMail(booking) });
      onDone();
    },
  });
  return (
    <ConfirmStep
      button="Mark as paid"
      tone="signal"
      busy={mark.isPending}
      problem={mark.error === null ? null : describeError(mark.error, 'Nothing was changed. Check your connection.')}
      onConfirm={() => mark.mutate({ bookings })}
      onBack={onDone}
    >
      <p>
        Do this once you have received {formatMoney(cents)} another way, such as cash or a bank transfer.{' '}
        {bookings === 1 ? 'The booking is' : `All ${bookings} bookings of the series are`} then confirmed, and the
        payment link stops working.
      </p>
      <p>Any later refund must also be made by hand.</p>
      <p>{describeMail(booking)}</p>
    </ConfirmStep>
  );
}
