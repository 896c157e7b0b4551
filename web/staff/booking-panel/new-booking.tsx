import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { z } from 'zod';
import { formatMoney } from '#rules/money.ts';
import { customerSchema } from '#rules/people.ts';
import { quoteSlots, type Rates } from '#rules/pricing.ts';
import { formatStudioRange } from '#rules/studio-time.ts';
import { describeError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { ChoiceField, TextField } from '#web/ui/form/fields.tsx';
import { Form, FormError, SubmitButton } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { toast } from '#web/ui/toast.tsx';
import { createBooking } from './queries.ts';
import { BOOKING_CHANGES } from '#web/data/query-keys.ts';
import { type HoursChoice, HoursForm } from './hours-form.tsx';
import type { StudioName } from './hours-form.tsx';

const PAYMENTS = [
  { value: 'link', label: 'By a link that we mail' },
  { value: 'elsewhere', label: 'Paid already, elsewhere' },
  { value: 'free', label: 'Free' },
] as const;
const { email, fullName } = customerSchema.shape;
const personSchema = z.object({
  customerName: fullName,
  customerEmail: email,
  payment: z.enum(PAYMENTS.map(({ value }) => value)),
  notes: z.string().trim().max(2000, 'At most 2,000 characters.'),
});
const NEEDS_MONEY =
  'We mail a link to pay. A booking that is free or was paid elsewhere needs the permission for money. An owner can give it to you.';
type Person = z.output<typeof personSchema>;
export type PricedStudio = StudioName & { readonly rates: Rates };

/** Makes a booking for somebody who phones: first the hours, then the person and how it is paid. */
export function NewBooking({
  studios,
  date,
  hours = {},
  mayGive,
  onDone,
  onBack,
}: {
  studios: readonly PricedStudio[];
  /** The day that is offered first. */
  date: string;
  /** The studio and hours that are offered first. */
  hours?: { readonly studioId?: string; readonly hour?: string; readonly hours?: string };
  /** Whether the account has the permission `money`: without it, bookings are paid by a link. */
  mayGive: boolean;
  onDone: (reference: string) => void;
  onBack: () => void;
}) {
  const [chosen, setChosen] = useState<HoursChoice | null>(null);
  const [typed] = useState({ studioId: studios[0]?.id ?? '', date, hour: '18', hours: '2', ...hours });
  if (chosen !== null)
    return (
      <PersonForm studios={studios} hours={chosen} mayGive={mayGive} onDone={onDone} onBack={() => setChosen(null)} />
    );
  return <HoursForm studios={studios} initial={typed} note="Sydney time." onChoose={setChosen} onBack={onBack} />;
}

function PersonForm({
  studios,
  hours,
  mayGive,
  onDone,
  onBack,
}: {
  studios: readonly PricedStudio[];
  hours: HoursChoice;
  mayGive: boolean;
  onDone: (reference: string) => void;
  onBack: () => void;
}) {
  const studio = studios.find(({ id }) => id === hours.studioId);
  const form = useSchemaForm(personSchema, {
    defaultValues: { customerName: '', customerEmail: '', payment: 'link', notes: '' },
  });
  const [requestId] = useState(() => crypto.randomUUID());
  const create = useMutation({
    mutationFn: (person: Person) =>
      createBooking({
        ...person,
        studioId: hours.studioId,
        startTime: hours.start.toISOString(),
        endTime: hours.end.toISOString(),
        requestId,
      }),
    meta: { handled: true, invalidates: BOOKING_CHANGES },
    onSuccess: ({ reference }, { payment, customerEmail }) => {
      const mailed =
        payment === 'link' ? `The link to pay is mailed to ${customerEmail}.` : `${customerEmail} gets a mail.`;
      toast({ title: `${reference} is ${payment === 'link' ? 'held' : 'booked'}`, description: mailed });
      onDone(reference);
    },
    onError: (error) =>
      refuseForm(form, { message: describeError(error, 'Nothing was booked. Check your connection.') }),
  });
  return (
    <Form form={form} onSend={create.mutateAsync} className="space-y-4">
      <div className="border-l-4 border-signal bg-deck p-4">
        <p>
          {studio?.name}, {formatStudioRange(hours.start, hours.end)}
        </p>
        {studio === undefined ? null : (
          <p className="mt-1 text-sm text-fog">
            {formatMoney(quoteSlots(hours.slots, studio.rates).totalCents)} by the price list.
          </p>
        )}
      </div>
      <TextField control={form.control} name="customerName" label="Name" required autoComplete="off" />
      <TextField
        control={form.control}
        name="customerEmail"
        label="Email"
        type="email"
        required
        autoComplete="off"
        hint="If an account has confirmed this address, the booking is theirs."
      />
      {mayGive ? (
        <ChoiceField control={form.control} name="payment" label="Payment" options={PAYMENTS} />
      ) : (
        <p>{NEEDS_MONEY}</p>
      )}
      <TextField control={form.control} name="notes" label="Note (optional)" autoComplete="off" />
      <p className="text-sm text-dust">
        A link holds the hours for a day, at most until an hour before the start. No ID is asked for: you answer for
        this person.
      </p>
      <FormError control={form.control} />
      <div className="flex flex-wrap gap-3">
        <SubmitButton control={form.control}>Book</SubmitButton>
        <Button tone="plain" disabled={create.isPending} onClick={onBack}>
          Back
        </Button>
      </div>
    </Form>
  );
}
