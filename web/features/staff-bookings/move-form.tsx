import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Control } from 'react-hook-form';
import { z } from 'zod';
import { formatMoney } from '#rules/money.ts';
import { nextSlot, type Slot, slotLabel, spanOf } from '#rules/slots.ts';
import { formatStudioRange, hourExists, isStudioDate, studioDate, studioHour } from '#rules/studio-time.ts';
import { describeError, errorNumber } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { ChoiceField, TextField } from '#web/ui/form/fields.tsx';
import { Form, SubmitButton } from '#web/ui/form/form.tsx';
import { useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { toast } from '#web/ui/toast.tsx';
import { type BookingDetails, moveBooking } from './booking-queries.ts';
import { BOOKING_CHANGES } from './cancel-form.tsx';
import { ConfirmStep } from './confirm-step.tsx';
import type { StudioName } from './queries.ts';

const HOURS = Array.from({ length: 24 }, (_, hour) => ({ value: String(hour), label: slotLabel(hour) }));

type Target = { readonly studioId: string; readonly start: Date; readonly end: Date };
const moveSchema = z
  .object({
    studioId: z.string().min(1, 'Choose a studio.'),
    date: z.string().refine(isStudioDate, 'Choose a day.'),
    hour: z.string(),
    hours: z.string().regex(/^([1-9]|1\d|2[0-4])$/, 'Enter 1 to 24 hours.'),
  })
  .transform(({ studioId, date, hour, hours }, context): Target => {
    const first: Slot = { date, hour: Number(hour) };
    if (!hourExists(date, first.hour)) {
      context.addIssue({ code: 'custom', path: ['hour'], message: 'The clocks skip this hour. Choose another.' });
      return z.NEVER;
    }
    const slots = [first];
    for (let slot = nextSlot(first); slots.length < Number(hours); slot = nextSlot(slot)) slots.push(slot);
    return { studioId, ...spanOf(slots) };
  });

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
  const form = useSchemaForm(moveSchema, {
    defaultValues: {
      studioId: studios.find(({ name }) => name === booking.studioName)?.id ?? '',
      date: studioDate(booking.startTime),
      hour: String(studioHour(booking.startTime)),
      hours: String(booking.totalHours),
    },
  });
  const [target, setTarget] = useState<Target | null>(null);
  const move = useMutation({
    mutationFn: ({ studioId, start, end, waive }: Target & { waive: boolean }) =>
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
    <Form form={form} onSend={setTarget} className="space-y-4">
      <Fields control={form.control} studios={studios} />
      <div className="flex flex-wrap gap-3">
        <SubmitButton control={form.control}>Continue</SubmitButton>
        <Button tone="plain" onClick={onDone}>
          Back
        </Button>
      </div>
    </Form>
  );
}

function Fields({
  control,
  studios,
}: {
  control: Control<z.input<typeof moveSchema>, unknown, Target>;
  studios: readonly StudioName[];
}) {
  return (
    <>
      <ChoiceField
        control={control}
        name="studioId"
        label="Studio"
        options={studios.map(({ id, name }) => ({ value: id, label: name }))}
      />
      <div className="grid gap-4 sm:grid-cols-3">
        <TextField control={control} name="date" label="Day" type="date" required />
        <ChoiceField control={control} name="hour" label="From" options={HOURS} />
        <TextField control={control} name="hours" label="Hours" type="number" min="1" max="24" step="1" required />
      </div>
      <p className="text-sm text-dust">Sydney time. A session that has begun can only end later.</p>
    </>
  );
}
