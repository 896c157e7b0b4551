import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { formatMoney } from '#rules/money.ts';
import { formatStudioRange, studioDate, studioHour } from '#rules/studio-time.ts';
import { describeError, errorNumber } from '#web/lib/errors.ts';
import { toast } from '#web/ui/toast.tsx';
import { type BookingDetails, moveBooking } from './booking-queries.ts';
import { BOOKING_CHANGES } from './cancel-form.tsx';
import { ConfirmStep, type HoursChoice, HoursForm } from './form-steps.tsx';
import type { StudioName } from './queries.ts';

/** Moves a booking to other hours or another studio. Dearer hours are asked about before anything changes. */
export function MoveForm({
  booking,
  studios,
  onDone,
}: {
  booking: BookingDetails;
  studios: readonly StudioName[];
  onDone: () => void;
}) {
  const [typed] = useState(() => ({
    studioId: studios.find(({ name }) => name === booking.studioName)?.id ?? '',
    date: studioDate(booking.startTime),
    hour: String(studioHour(booking.startTime)),
    hours: String(booking.totalHours),
  }));
  const [target, setTarget] = useState<HoursChoice | null>(null);
  const move = useMutation({
    mutationFn: ({ studioId, start, end, waive }: HoursChoice & { waive: boolean }) =>
      moveBooking(booking.id, { studioId, startTime: start.toISOString(), endTime: end.toISOString(), waive }),
    meta: { handled: true, invalidates: BOOKING_CHANGES },
    onSuccess: ({ refundCents, byHand }) => {
      const back = byHand ? 'to give back by hand' : 'on its way back';
      toast({
        title: `${booking.reference} is moved`,
        description: refundCents === 0 ? 'The price stays.' : `${formatMoney(refundCents)} ${back}.`,
      });
      onDone();
    },
  });
  if (target !== null) {
    const dearer = errorNumber(move.error, 'differenceCents');
    return (
      <ConfirmStep
        button={dearer === null ? 'Move the booking' : `Move without charging ${formatMoney(dearer)}`}
        busy={move.isPending}
        problem={move.error === null ? null : describeError(move.error, 'Nothing was changed. Check your connection.')}
        onConfirm={() => move.mutate({ ...target, waive: dearer !== null })}
        onBack={() => {
          move.reset();
          setTarget(null);
        }}
      >
        <p>
          From {booking.studioName}, {formatStudioRange(booking.startTime, booking.endTime)}
        </p>
        <p>
          to {studios.find(({ id }) => id === target.studioId)?.name}, {formatStudioRange(target.start, target.end)}.
        </p>
        <p>What the new hours cost less goes back. If they cost more, we ask you first.</p>
        <p>
          The PIN changes.{' '}
          {booking.customer.email === null ? 'Nobody is mailed.' : `${booking.customer.email} gets a mail.`}
        </p>
      </ConfirmStep>
    );
  }
  return (
    <HoursForm
      studios={studios}
      initial={typed}
      note="Sydney time. A session that has begun can only end later."
      onChoose={setTarget}
      onBack={onDone}
    />
  );
}
