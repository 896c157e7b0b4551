import { useState } from 'react';
import { formatStudioTime, studioDate, studioHour } from '#rules/studio-time.ts';
import { type Slot, nextSlot, slotsOfSpan, toSpan } from '#rules/slots.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Button } from '#web/ui/button.tsx';
import type { BookingDetails } from './queries.ts';
import { MoveStep } from './move-step.tsx';

/** The maximum number of earlier ends, and of later ends, that are offered. */
const MOST = 6;
/** The maximum number of hours in a booking. */
const MOST_HOURS = 24;

/** Returns the hours of a booking that ends `hours` hours later, or earlier if `hours` is negative. */
function slotsWith(booking: BookingDetails, hours: number): readonly Slot[] {
  const slots = [...(slotsOfSpan(booking.startTime, booking.endTime) ?? [])];
  if (hours < 0) return slots.slice(0, hours);
  for (let more = 0; more < hours; more += 1) {
    const last = slots.at(-1);
    if (last !== undefined) slots.push(nextSlot(last));
  }
  return slots;
}

/** Lets a booking end later, or, before it begins, earlier, in the same studio. */
export function ExtendForm({
  booking,
  mayRefund,
  onDone,
}: {
  booking: BookingDetails;
  mayRefund: boolean;
  onDone: () => void;
}) {
  const begun = booking.startTime <= useNow(30_000);
  const [hours, setHours] = useState<number | null>(null);
  if (hours !== null) {
    const target = { studioId: booking.studioId, ...toSpan(slotsWith(booking, hours)) };
    const back = (): void => setHours(null);
    return (
      <MoveStep
        booking={booking}
        studioName={booking.studioName}
        target={target}
        mayRefund={mayRefund}
        onDone={onDone}
        onBack={back}
      />
    );
  }
  const later = Array.from({ length: Math.min(MOST, MOST_HOURS - booking.totalHours) }, (_, index) => index + 1);
  const sooner = begun ? [] : Array.from({ length: Math.min(MOST, booking.totalHours - 1) }, (_, index) => -1 - index);
  return (
    <div className="space-y-4">
      <p>
        The session ends at {formatStudioTime(booking.endTime)}, Sydney time. Choose a new end time. You’ll see the
        price before anything changes.
      </p>
      <Ends title="Later" booking={booking} hours={later} onChoose={setHours} />
      {sooner.length === 0 ? null : <Ends title="Earlier" booking={booking} hours={sooner} onChoose={setHours} />}
      <Button tone="plain" onClick={onDone}>
        Back
      </Button>
    </div>
  );
}

function Ends({
  title,
  booking,
  hours,
  onChoose,
}: {
  title: string;
  booking: BookingDetails;
  hours: readonly number[];
  onChoose: (hours: number) => void;
}) {
  return (
    <div role="group" aria-label={title} className="space-y-2">
      <p className="font-semibold">{title}</p>
      <div className="flex flex-wrap gap-3">
        {hours.map((more) => (
          <Button key={more} tone="plain" onClick={() => onChoose(more)}>
            {describeEnd(toSpan(slotsWith(booking, more)).end, booking)}
          </Button>
        ))}
      </div>
    </div>
  );
}

/** Formats an end: "7 pm", with "next day" if it is not on the day of the start. */
function describeEnd(end: Date, { startTime }: BookingDetails): string {
  const isNextDay = studioDate(end) !== studioDate(startTime) && studioHour(end) !== 0;
  return `${formatStudioTime(end)}${isNextDay ? ', next day' : ''}`;
}
