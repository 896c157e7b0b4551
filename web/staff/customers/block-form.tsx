import { useMutation, useQuery } from '@tanstack/react-query';
import type { Control } from 'react-hook-form';
import { z } from 'zod';
import { dayBounds, formatStudioRange, isStudioDate } from '#rules/studio-time.ts';
import type { ListedBooking } from '#web/data/bookings/listed-bookings.ts';
import { BOOKING_CHANGES, queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Button } from '#web/ui/button.tsx';
import { ChoiceField, TextField } from '#web/ui/form/fields.tsx';
import { Form, FormEnd } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { Notice, Skeleton } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import {
  blockCustomer,
  type BlockedBookings,
  type Customer,
  getName,
  readCustomerBookings,
  unblockCustomer,
} from './queries.ts';

const UNBLOCK_INVALIDATES = [queryKeys.customers.all, queryKeys.customerBookings.all, queryKeys.alerts.all];

const CHOICES: readonly { readonly value: BlockedBookings; readonly label: string }[] = [
  { value: 'later', label: 'Decide about each booking on Today' },
  { value: 'keep', label: 'Keep them, with working codes' },
  { value: 'terms', label: 'Cancel them, with refunds by their terms' },
  { value: 'refund', label: 'Cancel them, with full refunds' },
];

const blockSchema = z
  .object({
    reason: z.string().trim().min(1, 'Enter a reason for your colleagues.').max(500, 'Use at most 500 characters.'),
    lastDay: z.string().refine((text) => text === '' || isStudioDate(text), 'Choose a day.'),
    bookings: z.enum(['later', 'keep', 'terms', 'refund']),
  })
  // The last day is blocked until its end.
  .transform(({ reason, lastDay, bookings }) => ({
    reason,
    bookings,
    until: lastDay === '' ? null : dayBounds(lastDay).end.toISOString(),
  }));
type Typed = z.input<typeof blockSchema>;
type Block = z.output<typeof blockSchema>;
const NOTHING: Typed = { reason: '', lastDay: '', bookings: 'later' };

/** Blocks a customer, permanently or until the end of a day, and asks what happens to the paid bookings. */
export function BlockForm({
  customer,
  mayRefund,
  onDone,
}: {
  customer: Customer;
  /** Whether the account has the permission `money`. */
  mayRefund: boolean;
  onDone: () => void;
}) {
  const now = useNow(30_000);
  const bookings = useQuery({
    queryKey: queryKeys.customerBookings.of(customer.user_id),
    queryFn: () => readCustomerBookings(customer.user_id),
  });
  const paid = bookings.data?.filter(({ status, endTime }) => status === 'confirmed' && endTime > now) ?? [];
  const form = useSchemaForm(blockSchema, { defaultValues: NOTHING });
  const block = useMutation({
    mutationFn: (draft: Block) => blockCustomer({ userId: customer.user_id, ...draft }),
    meta: { handled: true, invalidates: BOOKING_CHANGES },
    onSuccess: ({ left: remaining }) => {
      const decide = `${remaining} paid ${remaining === 1 ? 'booking remains' : 'bookings remain'}. Decide on Today.`;
      toast({
        title: 'Customer blocked',
        description: remaining === 0 ? getName(customer) : decide,
        ...(remaining === 0 ? {} : { tone: 'warn' as const }),
      });
      onDone();
    },
    onError: (error) =>
      refuseForm(form, { message: describeError(error, 'Nothing was changed. Check your connection.') }),
  });
  return (
    <Form form={form} onSend={block.mutateAsync} className="space-y-4">
      <p>The customer can’t hold hours or pay, and is asked to email us. Their unpaid holds end.</p>
      <TextField control={form.control} name="reason" label="Reason" required maxLength={500} autoComplete="off" />
      <TextField
        control={form.control}
        name="lastDay"
        label="Last day"
        type="date"
        hint="Leave empty to block with no end date."
      />
      {bookings.isPending ? <Skeleton className="h-24" label="Loading the paid bookings" /> : null}
      {bookings.isError ? (
        <Notice tone="warn">
          <p>The paid bookings could not be loaded. They stay, and you can decide about each one on Today.</p>
        </Notice>
      ) : null}
      {paid.length > 0 ? <PaidBookings control={form.control} bookings={paid} mayRefund={mayRefund} /> : null}
      <FormEnd control={form.control} leave="Back" onLeave={onDone}>
        Block customer
      </FormEnd>
    </Form>
  );
}

/** Lists the paid bookings, and asks what happens to them. */
function PaidBookings({
  control,
  bookings,
  mayRefund,
}: {
  control: Control<Typed, unknown, Block>;
  bookings: readonly ListedBooking[];
  mayRefund: boolean;
}) {
  return (
    <div className="space-y-3 border-l-4 border-warn bg-deck p-4">
      <p className="font-semibold">
        {bookings.length === 1 ? 'A booking is paid:' : `${bookings.length} bookings are paid:`}
      </p>
      <ul>
        {bookings.map((booking) => (
          <li key={booking.id}>
            {booking.reference}, {booking.studioName}, {formatStudioRange(booking.startTime, booking.endTime)}
          </li>
        ))}
      </ul>
      <ChoiceField
        control={control}
        name="bookings"
        label="Paid bookings"
        options={CHOICES.filter(({ value }) => mayRefund || value !== 'refund')}
      />
    </div>
  );
}

/** Ends the block of a customer. */
export function UnblockButton({ customer }: { customer: Customer }) {
  const unblock = useMutation({
    mutationFn: () => unblockCustomer(customer.user_id),
    meta: { title: 'Error', failure: 'The customer is still blocked. Try again.', invalidates: UNBLOCK_INVALIDATES },
    onSuccess: () => toast({ title: 'Customer unblocked', description: getName(customer) }),
  });
  return (
    <Button tone="plain" busy={unblock.isPending} onClick={() => unblock.mutate()}>
      Unblock customer
    </Button>
  );
}
