import { useMutation } from '@tanstack/react-query';
import { z } from 'zod';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { TextField } from '#web/ui/form/fields.tsx';
import { Form, FormEnd } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { toast } from '#web/ui/toast.tsx';
import { type Customer, getName, withdrawId } from './queries.ts';

const withdrawSchema = z.object({
  reason: z.string().trim().min(1, 'Enter a reason for the customer.').max(500, 'Use at most 500 characters.'),
});

/** Withdraws the verified ID of a customer. The customer receives the reason by mail. */
export function WithdrawForm({ customer, onDone }: { customer: Customer; onDone: () => void }) {
  const form = useSchemaForm(withdrawSchema, { defaultValues: { reason: '' } });
  const withdraw = useMutation({
    mutationFn: ({ reason }: { reason: string }) => withdrawId(customer.user_id, reason),
    meta: { handled: true, invalidates: [queryKeys.customers.all, queryKeys.alerts.all] },
    onSuccess: () => {
      toast({ title: 'ID withdrawn', description: getName(customer) });
      onDone();
    },
    onError: (error) =>
      refuseForm(form, { message: describeError(error, 'Nothing was changed. Check your connection.') }),
  });
  return (
    <Form form={form} onSend={withdraw.mutateAsync} className="space-y-4">
      <p>
        The customer can’t pay for a booking until an ID is verified again. If a paid session still has no verified ID
        two hours before it starts, you get an alert. Without a decision it is cancelled with a full refund.
      </p>
      <TextField
        control={form.control}
        name="reason"
        label="Reason (included in the customer’s email)"
        required
        maxLength={500}
        autoComplete="off"
      />
      <FormEnd control={form.control} leave="Back" onLeave={onDone}>
        Withdraw ID
      </FormEnd>
    </Form>
  );
}
