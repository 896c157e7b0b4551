import { useState } from 'react';
import { studioDate, studioHour } from '#rules/studio-time.ts';
import { withOwnRoom } from '#web/lib/business/own-room.ts';
import { type HoursChoice, HoursForm, type StudioName } from './hours-form.tsx';
import { MoveStep } from './move-step.tsx';
import type { BookingDetails } from './queries.ts';

/** Moves a booking to other hours or another studio. Shows the cost before anything changes. */
export function MoveForm({
  booking,
  studios,
  mayRefund,
  onDone,
}: {
  booking: BookingDetails;
  studios: readonly StudioName[];
  /** Whether the account has the permission `money`. */
  mayRefund: boolean;
  onDone: () => void;
}) {
  const [typed] = useState(() => ({
    studioId: booking.studioId,
    date: studioDate(booking.startTime),
    hour: String(studioHour(booking.startTime)),
    hours: String(booking.totalHours),
  }));
  const [target, setTarget] = useState<HoursChoice | null>(null);
  const rooms = withOwnRoom(studios, booking);
  if (target !== null)
    return (
      <MoveStep
        booking={booking}
        studioName={rooms.find(({ id }) => id === target.studioId)?.name ?? ''}
        target={target}
        mayRefund={mayRefund}
        onDone={onDone}
        onBack={() => setTarget(null)}
      />
    );
  return (
    <HoursForm
      studios={rooms}
      initial={typed}
      note="Sydney time. Once a session has started, you can only change its end time."
      onChoose={setTarget}
      onBack={onDone}
    />
  );
}
