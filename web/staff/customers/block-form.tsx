import { useMutation } from '@tanstack/react-query';
import { z } from 'zod';
import { dayBounds, isStudioDate } from '#rules/studio-time.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { TextField } from '#web/ui/form/fields.tsx';
import { Form, FormError, SubmitButton } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { toast } from '#web/ui/toast.tsx';
import { blockCustomer, type Customer, nameOf, unblockCustomer } from './queries.ts';

const INVALIDATES = [queryKeys.customers.all, queryKeys.customerBookings.all];

const blockSchema = z
  .object({
    reason: z.string().trim().min(1, 'Say why, for your colleagues.').max(500, 'At most 500 characters.'),
    lastDay: z.string().refine((text) => text === '' || isStudioDate(text), 'Choose a day.'),
  })
  // The last day is blocked to its end.
  .transform(({ reason, lastDay }) => ({
    reason,
    until: lastDay === '' ? null : dayBounds(lastDay).end.toISOString(),
  }));
type Block = z.output<typeof blockSchema>;

/** Blocks a customer, for good or to the end of a day. */
export function BlockForm({ customer, onDone }: { customer: Customer; onDone: () => void }) {
  const form = useSchemaForm(blockSchema, { defaultValues: { reason: '', lastDay: '' } });
  const block = useMutation({
    mutationFn: (draft: Block) => blockCustomer({ userId: customer.user_id, ...draft }),
    meta: { handled: true, invalidates: INVALIDATES },
    onSuccess: () => {
      toast({ title: 'Customer blocked', description: nameOf(customer) });
      onDone();
    },
    onError: (error) =>
      refuseForm(form, { message: describeError(error, 'Nothing was changed. Check your connection.') }),
  });
  return (
    <Form form={form} onSend={block.mutateAsync} className="space-y-4">
      <p>
        The customer can neither hold hours nor pay, and is asked to email us. Unpaid holds end. Bookings that are paid
        stay: decide about each.
      </p>
      <TextField control={form.control} name="reason" label="Reason" required maxLength={500} autoComplete="off" />
      <TextField
        control={form.control}
        name="lastDay"
        label="Last day"
        type="date"
        hint="Without one the block has no end."
      />
      <FormError control={form.control} />
      <div className="flex flex-wrap gap-3">
        <SubmitButton control={form.control}>Block</SubmitButton>
        <Button tone="plain" disabled={block.isPending} onClick={onDone}>
          Back
        </Button>
      </div>
    </Form>
  );
}

/** Ends the block of a customer. */
export function UnblockButton({ customer }: { customer: Customer }) {
  const unblock = useMutation({
    mutationFn: () => unblockCustomer(customer.user_id),
    meta: { title: 'Error', failure: 'The customer is still blocked. Try again.', invalidates: INVALIDATES },
    onSuccess: () => toast({ title: 'Customer unblocked', description: nameOf(customer) }),
  });
  return (
    <Button tone="plain" busy={unblock.isPending} onClick={() => unblock.mutate()}>
      Unblock
    </Button>
  );
}
