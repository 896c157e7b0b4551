import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { cancellationTerms } from '#rules/cancellation.ts';
import { formatDollars, formatMoney } from '#rules/money.ts';
import { formatStudioRange } from '#rules/studio-time.ts';
import type { Booking } from '#web/data/bookings/booking.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { useBusiness } from '#web/lib/business/business.ts';
import { Failure } from '#web/lib/business/failure.tsx';
import { useOnline } from '#web/lib/use-browser.ts';
import { Confirm } from '#web/ui/form/confirm.tsx';
import { Check } from '#web/ui/choice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { cancelBooking } from './queries.ts';

type CancelQuestionProps = {
  readonly booking: Pick<
    Booking,
    'id' | 'reference' | 'studioName' | 'startTime' | 'endTime' | 'finalCents' | 'freeCancelHours' | 'termsStart'
  >;
  /** How many bookings of its series have not ended, including this one. */
  readonly remaining: number;
  readonly now: Date;
};

/** Asks for confirmation before a booking is cancelled, and shows the refund. The text stays as it was when the button was pressed. */
export function CancelQuestion({
  onKeep,
  onDone,
  ...current
}: CancelQuestionProps & { onKeep: () => void; onDone: (message: string) => void }) {
  const [all, setAll] = useState(false);
  const cancel = useMutation({
    mutationFn: ({ booking }: CancelQuestionProps) => cancelBooking(booking.id, all),
    meta: { handled: true, invalidates: [queryKeys.ownBookings.all, queryKeys.ownBooking.all] },
    onSuccess: (done, { booking }) => {
      const message = describeDone(booking.reference, done);
      toast({ title: 'Booking cancelled', description: message });
      onDone(message);
    },
  });
  const { booking, remaining, now } = cancel.isPending || cancel.isSuccess ? cancel.variables : current;
  const online = useOnline();
  const business = useBusiness();
  const { startTime: start, finalCents } = booking;
  const policy = cancellationTerms(booking.termsStart, now, booking.freeCancelHours ?? business.freeCancelHours);
  const refund = finalCents > 0 && policy.refund === 'full';
  return (
    <div className="space-y-5">
      <p>
        {booking.studioName}, {formatStudioRange(start, booking.endTime)}, Sydney time.
      </p>
      <p className="border-l-4 border-signal bg-deck p-4">
        {refund ? (
          <>
            You’ll get the full <strong className="text-xl">{formatMoney(finalCents)}</strong> back the way you paid.
          </>
        ) : finalCents > 0 ? (
          `${policy.until < new Date(start.getTime() - policy.freeHours * 3_600_000) ? 'Before we moved it, your booking would have started' : 'Your booking starts'} in less than ${policy.freeHours} hours, so please email ${business.email} instead.`
        ) : (
          'You weren’t charged for this booking, so there’s nothing to refund.'
        )}
      </p>
      {remaining > 1 ? (
        <Check checked={all} disabled={cancel.isPending} onChange={(event) => setAll(event.target.checked)}>
          Cancel all {remaining} bookings of this series that are left. Each gives back what its own terms say.
        </Check>
      ) : null}
      <p className="text-sm text-fog">You can’t undo this, and someone else could book the hours.</p>
      <Failure action={cancel} text="We couldn’t cancel the booking. Please try again." />
      <Confirm
        action={{ ...cancel, mutate: () => cancel.mutate(current) }}
        disabled={!online || (!policy.allowed && !all)}
        keep="Keep it"
        onKeep={onKeep}
      >
        {all ? `Cancel ${remaining} bookings` : 'Cancel booking'}
      </Confirm>
    </div>
  );
}

/** Describes what was cancelled and what is refunded. */
function describeDone(
  reference: string,
  { amount, byHand, bookings, kept = 0 }: Awaited<ReturnType<typeof cancelBooking>>,
): string {
  const what =
    bookings === undefined
      ? `Your booking ${reference} is cancelled.`
      : `${bookings} bookings of your series are cancelled.`;
  const back =
    byHand === true
      ? `You’ll get ${formatDollars(amount)} back. What you didn’t pay online, we’ll give you ourselves.`
      : `${formatDollars(amount)} is on its way back to your card.`;
  const money = amount > 0 ? ` ${back}` : '';
  const late = kept > 0 ? ` It’s too late to cancel ${kept === 1 ? 'one' : kept} of them.` : '';
  return `${what}${money}${late}`;
}
