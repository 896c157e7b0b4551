import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { type Control, useWatch } from 'react-hook-form';
import { slotLabel } from '#rules/slots.ts';
import { addDays, formatStudioDate, formatStudioRange, studioDate, studioHour } from '#rules/studio-time.ts';
import { describeError } from '#web/lib/errors.ts';
import { withBooking } from '#web/lib/paths.ts';
import { CheckField, ChoiceField, TextField } from '#web/ui/form/fields.tsx';
import { Form, FormEnd } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { Link, useSearchParams } from '#web/router/router.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { ALL_STUDIOS, type ClosureDraft, closureFormSchema, type TypedClosure } from './closure-form.ts';
import { type BookingInTheWay, bookingsInTheWay, CLOSURE_CHANGES, closeHours, type StudioName } from './queries.ts';

const HOURS = Array.from({ length: 24 }, (_, hour) => ({ value: String(hour), label: slotLabel(hour) }));

/** Closes hours. Lists the bookings that prevent this. */
export function ClosureForm({
  studios,
  hours,
  onDone,
}: {
  studios: readonly StudioName[];
  /** The hours that are preselected. */
  hours?: { readonly studioId: string; readonly start: Date; readonly end: Date };
  onDone: () => void;
}) {
  const [tomorrow] = useState(() => addDays(studioDate(new Date()), 1));
  const form = useSchemaForm(closureFormSchema, {
    defaultValues: {
      studio: ALL_STUDIOS,
      fromDate: tomorrow,
      fromHour: '9',
      toDate: tomorrow,
      toHour: '12',
      repeat: 'once' as const,
      repeatUntil: '',
      reason: '',
      isPublic: false,
      ...(hours === undefined ? {} : typeHours(hours)),
    },
  });
  const [inTheWay, setInTheWay] = useState<readonly BookingInTheWay[]>([]);
  const close = useMutation({
    mutationFn: (draft: ClosureDraft) => closeHours(draft),
    meta: { handled: true, invalidates: CLOSURE_CHANGES },
    onSuccess: (_closed, draft) => {
      const range = formatStudioRange(new Date(draft.startTime), new Date(draft.endTime));
      toast({ title: 'Hours closed', description: `${range}${describeRepeat(draft)}` });
      onDone();
    },
    onError: (error) => {
      setInTheWay(bookingsInTheWay(error));
      refuseForm(form, { message: describeError(error, 'The hours could not be closed. Check your connection.') });
    },
  });
  return (
    <Form form={form} onSend={close.mutateAsync} className="space-y-4">
      <Fields control={form.control} studios={studios} />
      <InTheWay bookings={inTheWay} />
      <FormEnd control={form.control} onLeave={onDone}>
        Close hours
      </FormEnd>
    </Form>
  );
}

type ClosureControl = Control<TypedClosure, unknown, ClosureDraft>;

const typeHours = ({ studioId, start, end }: { studioId: string; start: Date; end: Date }): Partial<TypedClosure> => ({
  studio: studioId,
  fromDate: studioDate(start),
  fromHour: String(studioHour(start)),
  toDate: studioDate(end),
  toHour: String(studioHour(end)),
});

function Fields({ control, studios }: { control: ClosureControl; studios: readonly StudioName[] }) {
  const choices = [
    { value: ALL_STUDIOS, label: 'All rooms' },
    ...studios.map(({ id, name }) => ({ value: id, label: name })),
  ];
  return (
    <>
      <ChoiceField control={control} name="studio" label="Room" options={choices} />
      <div className="grid grid-cols-2 gap-4">
        <TextField control={control} name="fromDate" label="From" type="date" required />
        <ChoiceField control={control} name="fromHour" label="Hour" options={HOURS} />
        <TextField control={control} name="toDate" label="Until" type="date" required />
        <ChoiceField control={control} name="toHour" label="Hour" options={HOURS} />
      </div>
      <p className="text-sm text-dust">Sydney time.</p>
      <Repeat control={control} />
      <TextField control={control} name="reason" label="Reason" required maxLength={200} autoComplete="off" />
      <CheckField control={control} name="isPublic">
        Customers may read the reason
      </CheckField>
    </>
  );
}

const REPEAT_WORDS = [
  { value: 'once', label: 'Once' },
  { value: 'until', label: 'Weekly until a date' },
  { value: 'always', label: 'Weekly with no end date' },
];

/** Lets staff choose how often the hours are closed. A weekly closure keeps the time of day. */
function Repeat({ control }: { control: ClosureControl }) {
  const repeat = useWatch({ control, name: 'repeat' });
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <ChoiceField control={control} name="repeat" label="Repeat" options={REPEAT_WORDS} />
      {repeat === 'until' ? (
        <TextField control={control} name="repeatUntil" label="Last day" type="date" required />
      ) : null}
    </div>
  );
}

function describeRepeat({ repeatUntil, endless }: ClosureDraft): string {
  if (endless === true) return ', and every week from then on';
  return repeatUntil === undefined ? '' : `, and weekly until ${formatStudioDate(repeatUntil, 'medium')}`;
}

/** The bookings that prevent the closure. Each opens on top of the form, which keeps what was typed. */
function InTheWay({ bookings }: { bookings: readonly BookingInTheWay[] }) {
  const [search] = useSearchParams();
  if (bookings.length === 0) return null;
  return (
    <Notice tone="warn">
      <ul className="space-y-1">
        {bookings.map((booking) => (
          <li key={booking.reference}>
            <Link to={withBooking(search, booking.reference)} className="underline">
              {booking.reference}
            </Link>
            : {booking.studioName}, {formatStudioRange(booking.startTime, booking.endTime)}
            {booking.status === 'pending' ? ' (awaiting payment)' : ''}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
