import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { COUPON_DESCRIPTION_MAX, GIFT_CODES_MAX } from '#rules/coupons.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { ChoiceField, TextField } from '#web/ui/form/fields.tsx';
import { Form, FormEnd } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { toast } from '#web/ui/toast.tsx';
import { giftFormSchema, valueHint } from './coupon-form.ts';
import { type GiftDraft, makeGiftCodes } from './queries.ts';

const TYPES = [
  { value: 'fixed', label: 'Fixed' },
  { value: 'percentage', label: 'Percentage' },
];
const EMPTY = {
  prefix: 'GIFT',
  amount: '',
  discount_type: 'fixed',
  discount_value: '',
  description: '',
  expires_at: '',
};

/** Creates a batch of gift codes. Idempotent for each form: sending it again after a lost answer does not create another batch. */
export function GiftForm({ mayGive, onDone }: { mayGive: boolean; onDone: () => void }) {
  const [batch] = useState(() => crypto.randomUUID());
  const form = useSchemaForm(giftFormSchema, {
    defaultValues: mayGive ? EMPTY : { ...EMPTY, discount_type: 'percentage' },
  });
  const make = useMutation({
    mutationFn: (draft: GiftDraft) => makeGiftCodes(batch, draft),
    meta: { handled: true, invalidates: [queryKeys.giftBatches.all] },
    onSuccess: (_made, { amount, prefix }) => {
      toast({ title: amount === 1 ? '1 gift code created' : `${amount} gift codes created`, description: prefix });
      onDone();
    },
    onError: (error) =>
      refuseForm(form, { message: describeError(error, 'The codes could not be created. Check your connection.') }),
  });
  const { control } = form;
  return (
    <Form form={form} onSend={make.mutateAsync} className="space-y-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField control={control} label="Prefix" name="prefix" required autoComplete="off" maxLength={20} />
        <TextField
          control={control}
          label="Number of codes"
          name="amount"
          type="number"
          step="1"
          min="1"
          max={GIFT_CODES_MAX}
          required
        />
        <ChoiceField control={control} label="Discount type" name="discount_type" options={TYPES} />
        <TextField
          control={control}
          label="Value per code"
          name="discount_value"
          type="number"
          step="0.01"
          min="0.01"
          required
          hint={valueHint(mayGive)}
        />
      </div>
      <TextField
        control={control}
        label="Description (optional)"
        name="description"
        autoComplete="off"
        maxLength={COUPON_DESCRIPTION_MAX}
      />
      <TextField
        control={control}
        label="Expires (optional)"
        name="expires_at"
        type="date"
        hint="Valid until the end of that day in Sydney."
      />
      <FormEnd control={control} onLeave={onDone}>
        Create codes
      </FormEnd>
    </Form>
  );
}
