import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import { z } from 'zod';
import { BOOKING_CHANGES, queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { ChoiceField, TextField } from '#web/ui/form/fields.tsx';
import { Form, FormError, SubmitButton } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { toast } from '#web/ui/toast.tsx';
import { decideDispute, type DisputeDecision } from './queries.ts';

const schema = z.object({
  decision: z.enum(['keep', 'cancel', 'block'], 'Choose what happens.'),
  reason: z.string().trim().min(3, 'Say why, for your colleagues.').max(500, 'At most 500 characters.'),
});
const CHOICES: Readonly<Record<DisputeDecision, { label: string; means: string; button: string; done: string }>> = {
  keep: {
    label: 'Keep the booking',
    means: 'The session takes place. The customer gets the code as usual, also if the bank decides against us.',
    button: 'Keep the booking',
    done: 'The session takes place',
  },
  cancel: {
    label: 'Cancel the booking',
    means:
      'The hours are free for others, and no code is made. Nothing is refunded: the bank has taken the disputed money already. This cannot be undone.',
    button: 'Cancel the booking',
    done: 'Booking cancelled',
  },
  block: {
    label: 'Cancel it and block the customer',
    means:
      'The booking is cancelled without a refund, and the customer can neither hold hours nor pay until you end the block. Other paid bookings stay: decide about each.',
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
        label="What happens"
        options={choices.map((value) => ({ value, label: CHOICES[value].label }))}
      />
      <p aria-live="polite">{chosen.means}</p>
      {mayCancel ? null : (
        <p className="text-sm text-fog">To cancel it or block the customer you need the permission “bookings” too.</p>
      )}
      <TextField
        control={form.control}
        name="reason"
        label="Reason"
        hint="It stays in the audit log."
        required
        maxLength={500}
        autoComplete="off"
      />
      <FormError control={form.control} />
      <div className="flex flex-wrap gap-3">
        <SubmitButton control={form.control}>{chosen.button}</SubmitButton>
        <Button tone="plain" disabled={decide.isPending} onClick={onDone}>
          Back
        </Button>
      </div>
    </Form>
  );
}
