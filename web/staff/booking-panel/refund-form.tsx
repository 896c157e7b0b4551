import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { z } from 'zod';
import { formatMoney } from '#rules/money.ts';
import { describeError } from '#web/lib/errors.ts';
import { TextField } from '#web/ui/form/fields.tsx';
import { Form, FormEnd } from '#web/ui/form/form.tsx';
import { useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { toast } from '#web/ui/toast.tsx';
import { BOOKING_CHANGES } from '#web/data/query-keys.ts';
import { type BookingDetails, refundBooking } from './queries.ts';
import { ConfirmStep } from './confirm-step.tsx';
import { amountSchema, describeMail, describeReturn, leftCents, reasonSchema } from './money-words.ts';

/** Refunds part of the payment. The booking stays unchanged. */
export function RefundForm({ booking, onDone }: { booking: BookingDetails; onDone: () => void }) {
  const remaining = leftCents(booking);
  const [schema] = useState(() => z.object({ cents: amountSchema(remaining), reason: reasonSchema }));
  // With this id, the form refunds only once, however often it is sent.
  const [requestId] = useState(() => crypto.randomUUID());
  const form = useSchemaForm(schema, { defaultValues: { cents: '', reason: '' } });
  const [decided, setDecided] = useState<z.output<typeof schema> | null>(null);
  const refund = useMutation({
    mutationFn: (values: z.output<typeof schema>) => refundBooking({ bookingId: booking.id, requestId, ...values }),
    meta: { handled: true, invalidates: BOOKING_CHANGES },
    onSuccess: ({ refundCents, byHand }) => {
      toast({
        title: `${formatMoney(refundCents)} refunded`,
        description: byHand ? 'Refund it by hand, then close its task on Today.' : `For ${booking.reference}.`,
      });
      onDone();
    },
  });
  if (decided !== null)
    return (
      <ConfirmStep
        button={`Refund ${formatMoney(decided.cents)}`}
        busy={refund.isPending}
        problem={
          refund.error === null ? null : describeError(refund.error, 'Nothing was changed. Check your connection.')
        }
        onConfirm={() => refund.mutate(decided)}
        onBack={() => setDecided(null)}
      >
        <p>{describeReturn(booking, decided.cents)}</p>
        <p>{formatMoney(remaining - decided.cents)} of the payment remains. The booking stays unchanged.</p>
        <p>{describeMail(booking)}</p>
      </ConfirmStep>
    );
  return (
    <Form form={form} onSend={setDecided} className="space-y-4">
      <p>{formatMoney(remaining)} of the payment can be refunded.</p>
      <TextField
        control={form.control}
        name="cents"
        label="Amount in dollars"
        inputMode="decimal"
        required
        autoComplete="off"
      />
      <TextField control={form.control} name="reason" label="Reason" required maxLength={500} autoComplete="off" />
      <FormEnd control={form.control} leave="Back" onLeave={onDone}>
        Continue
      </FormEnd>
    </Form>
  );
}
