import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import { z } from 'zod';
import { BOOKING_CHANGES, queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { ChoiceField, TextField } from '#web/ui/form/fields.tsx';
import { Form, FormEnd } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { toast } from '#web/ui/toast.tsx';
import { decideDispute, type DisputeDecision } from './queries.ts';

const schema = z.object({
  decision: z.enum(['keep', 'cancel', 'block'], 'Choose a decision.'),
  reason: z.string().trim().min(3, 'Enter a reason for your colleagues.').max(500, 'Use at most 500 characters.'),
});
const CHOICES: Readonly<Record<DisputeDecision, { label: string; means: string; button: string; done: string }>> = {
  keep: {
    label: 'Allow session',
    means: 'The session goes ahead. The customer gets the code as usual, even if the bank decides against us.',
    button: 'Allow session',
    done: 'Session allowed',
  },
  cancel: {
    label: 'Cancel booking',
    means:
      'The hours become available to others, and no code is issued. There is no refund, because the bank has already taken the disputed money. You can’t undo this.',
    button: 'Cancel booking',
    done: 'Booking cancelled',
  },
  block: {
    label: 'Cancel booking and block customer',
    means:
      'The booking is cancelled without a refund, and the customer can’t hold hours or pay until you end the block. You decide about each of their other paid bookings.',
    button: 'Cancel and block',
    done: 'Booking cancelled, customer blocked',
  },
};

/** Decides about a disputed booking whose code is on hold. `mayCancel`: the account may cancel bookings and block customers. */
export function DecideDispute({
  booking,
  mayCancel,
  onDone,
}: {
  booking: { readonly id: string; readonly reference: string };
  mayCancel: boolean;
  onDone: () => void;
}) {
  const [choices] = useState(() => (mayCancel ? (['keep', 'cancel', 'block'] as const) : (['keep'] as const)));
  const form = useSchemaForm(schema, { defaultValues: { decision: 'keep', reason: '' } });
  const decision = useWatch({ control: form.control, name: 'decision' });
  const chosen = CHOICES[choices.find((choice) => choice === decision) ?? 'keep'];
  const decide = useMutation({
    mutationFn: (values: z.output<typeof schema>) => decideDispute(booking.id, values),
    meta: { handled: true, invalidates: [...BOOKING_CHANGES, queryKeys.alerts.all, queryKeys.disputes.all] },
    onSuccess: (_answer, { decision }) => {
      toast({ title: CHOICES[decision].done, description: booking.reference });
      onDone();
    },
    onError: (error) =>
      refuseForm(form, { message: describeError(error, 'Nothing was changed. Check your connection.') }),
  });
  return (
    <Form form={form} onSend={decide.mutateAsync} className="space-y-4">
      <ChoiceField
        control={form.control}
        name="decision"
        label="Decision"
        options={choices.map((value) => ({ value, label: CHOICES[value].label }))}
      />
      <p aria-live="polite">{chosen.means}</p>
      {mayCancel ? null : (
        <p className="text-sm text-fog">
          To cancel the booking or block the customer, you also need the “Bookings” permission.
        </p>
      )}
      <TextField
        control={form.control}
        name="reason"
        label="Reason"
        hint="Kept in the audit log."
        required
        maxLength={500}
        autoComplete="off"
      />
      <FormEnd control={form.control} leave="Back" onLeave={onDone}>
        {chosen.button}
      </FormEnd>
    </Form>
  );
}
