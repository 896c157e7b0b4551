import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import { z } from 'zod';
import { cancellationTerms } from '#rules/cancellation.ts';
import { formatMoney } from '#rules/money.ts';
import { useBusiness } from '#web/lib/business/business.ts';
import { describeError } from '#web/lib/errors.ts';
import { useNow } from '#web/lib/use-now.ts';
import { ChoiceField, TextField } from '#web/ui/form/fields.tsx';
import { Form, FormEnd } from '#web/ui/form/form.tsx';
import { useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { toast } from '#web/ui/toast.tsx';
import { BOOKING_CHANGES } from '#web/data/query-keys.ts';
import { type BookingDetails, cancelBooking, type Refund } from './queries.ts';
import { useUndo } from './use-undo.ts';
import { ConfirmStep } from './confirm-step.tsx';
import { amountSchema, describeMail, describeReturn, leftCents, reasonSchema } from './money-words.ts';

const formSchema = (remaining: number) =>
  z
    .object({ refund: z.enum(['full', 'part', 'none']), amount: z.string(), reason: reasonSchema })
    .transform(({ refund, amount, reason }, context): { refund: Refund; reason: string } => {
      if (refund !== 'part') return { refund, reason };
      const cents = amountSchema(remaining).safeParse(amount);
      if (cents.success) return { refund: cents.data, reason };
      context.addIssue({ code: 'custom', path: ['amount'], message: cents.error.issues[0]?.message ?? '' });
      return z.NEVER;
    });
type Decision = z.output<ReturnType<typeof formSchema>>;

/** Cancels a booking. Asks for the refund and the reason, and then for confirmation. */
export function CancelForm({
  booking,
  mayRefund,
  onDone,
}: {
  booking: BookingDetails;
  mayRefund: boolean;
  onDone: () => void;
}) {
  const remaining = leftCents(booking);
  const { freeCancelHours } = useBusiness();
  const terms = cancellationTerms(booking.termsStart, useNow(30_000), booking.freeCancelHours ?? freeCancelHours);
  const [schema] = useState(() => formSchema(remaining));
  const form = useSchemaForm(schema, {
    defaultValues: { refund: remaining === 0 ? 'none' : terms.refund, amount: '', reason: '' },
  });
  const [decided, setDecided] = useState<Decision | null>(null);
  const undoing = useUndo();
  const cancel = useMutation({
    mutationFn: ({ refund, reason }: Decision) => cancelBooking(booking.id, refund, reason),
    meta: { handled: true, invalidates: BOOKING_CHANGES },
    onSuccess: ({ refundCents, byHand, undo }) => {
      const back = byHand ? 'needs to be refunded by hand' : 'is being refunded';
      toast({
        title: `${booking.reference} is cancelled`,
        description: refundCents === 0 ? 'No refund was made.' : `${formatMoney(refundCents)} ${back}.`,
        ...undoing(undo),
      });
      onDone();
    },
  });
  if (decided !== null)
    return (
      <ConfirmStep
        button="Cancel booking"
        busy={cancel.isPending}
        problem={
          cancel.error === null ? null : describeError(cancel.error, 'Nothing was changed. Check your connection.')
        }
        onConfirm={() => cancel.mutate(decided)}
        onBack={() => setDecided(null)}
      >
        <Consequences booking={booking} refund={decided.refund} />
      </ConfirmStep>
    );
  return (
    <Form form={form} onSend={setDecided} className="space-y-4">
      <TermsWords remaining={remaining} terms={terms} booking={booking} mayRefund={mayRefund} />
      {remaining > 0 && mayRefund ? <RefundFields control={form.control} remaining={remaining} /> : null}
      <TextField control={form.control} name="reason" label="Reason" required maxLength={500} autoComplete="off" />
      <FormEnd control={form.control} leave="Keep booking" onLeave={onDone}>
        Continue
      </FormEnd>
    </Form>
  );
}

function TermsWords({
  remaining,
  terms: { refund, freeHours },
  booking,
  mayRefund,
}: {
  remaining: number;
  terms: ReturnType<typeof cancellationTerms>;
  booking: BookingDetails;
  mayRefund: boolean;
}) {
  if (remaining === 0) return <p>There is no payment to refund.</p>;
  const moved = booking.termsStart < booking.startTime;
  const starts = moved ? 'its original hours would have started' : 'it starts';
  const words =
    refund === 'full'
      ? `Its terms allow a full refund of ${formatMoney(remaining)}, because ${starts} in more than ${freeHours} hours.`
      : `Its terms allow no refund, because ${starts} in less than ${freeHours} hours.`;
  return <p>{mayRefund ? words : `${words} A different refund needs the “Money” permission.`}</p>;
}

type Control = ReturnType<typeof useSchemaForm<z.input<ReturnType<typeof formSchema>>, Decision>>['control'];

function RefundFields({ control, remaining }: { control: Control; remaining: number }) {
  const refund = useWatch({ control, name: 'refund' });
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <ChoiceField
        control={control}
        name="refund"
        label="Refund"
        options={[
          { value: 'full', label: `Full refund, ${formatMoney(remaining)}` },
          { value: 'part', label: 'Partial refund' },
          { value: 'none', label: 'No refund' },
        ]}
      />
      {refund === 'part' ? (
        <TextField control={control} name="amount" label="Amount in dollars" inputMode="decimal" autoComplete="off" />
      ) : null}
    </div>
  );
}

/** Describes the effects of a cancellation, with amounts. */
function Consequences({ booking, refund }: { booking: BookingDetails; refund: Refund }) {
  const { heldTogether } = booking;
  const remaining = leftCents(booking);
  const waits = refund === 'full' && booking.payments.some(({ state }) => state === 'disputed');
  const cents = refund === 'full' ? remaining : refund === 'none' ? 0 : refund;
  return (
    <>
      <p>
        {booking.status === 'pending'
          ? heldTogether === null
            ? 'The hold ends, and its hours are available immediately.'
            : `All ${heldTogether.bookings} unpaid bookings of the series end. Their hours are available immediately.`
          : 'The hours are available immediately, and the PIN stops working.'}
      </p>
      <p>
        {waits
          ? 'The payment is disputed. We refund it if the bank decides in our favour.'
          : cents === 0
            ? 'No refund will be made.'
            : describeReturn(booking, cents)}
      </p>
      {cents < remaining ? <p>You keep {formatMoney(remaining - cents)}.</p> : null}
      <p>{describeMail(booking)}</p>
      {booking.status === 'confirmed' ? (
        <p className="text-sm text-fog">You can undo this for ten seconds.</p>
      ) : (
        <p>You can’t undo this.</p>
      )}
    </>
  );
}
