import { useMutation } from '@tanstack/react-query';
import type { Control } from 'react-hook-form';
import { COUPON_CODE_MAX, COUPON_DESCRIPTION_MAX } from '#rules/coupons.ts';
import { studioDate } from '#rules/studio-time.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError, errorCode } from '#web/lib/errors.ts';
import { ChoiceField, TextField } from '#web/ui/form/fields.tsx';
import { Form, FormEnd } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { toast } from '#web/ui/toast.tsx';
import { couponFormSchema, isMoneyMissing, type TypedCoupon, valueHint } from './coupon-form.ts';
import { hasRules, RuleFields, WEEKDAYS } from './rule-fields.tsx';
import { type CouponDraft, type DiscountCode, saveDiscountCode } from './queries.ts';

const FAILED = 'Failed to save discount code';
const TYPES = [
  { value: 'percentage', label: 'Percentage' },
  { value: 'fixed', label: 'Fixed' },
];

/** Creates a discount code, or edits the given one. `mayGive`: whether the account may make codes that give money away. */
export function DiscountForm({
  code,
  mayGive,
  onDone,
}: {
  code: DiscountCode | null;
  mayGive: boolean;
  onDone: () => void;
}) {
  const form = useSchemaForm(couponFormSchema, { defaultValues: toTyped(code) });
  const save = useMutation({
    mutationFn: (draft: CouponDraft) => saveDiscountCode(code?.id ?? null, draft),
    meta: { handled: true, invalidates: [queryKeys.discountCodes.all] },
    onSuccess: (_saved, draft) => {
      const title = code === null ? 'Discount code created successfully' : 'Discount code updated successfully';
      toast({ title, description: draft.code });
      onDone();
    },
    onError: (error) => {
      refuseForm(form, { message: whyNot(error) });
      toast({ title: 'Error', description: FAILED, tone: 'bad' });
    },
  });
  return (
    <Form form={form} onSend={save.mutateAsync} className="space-y-4">
      <Fields control={form.control} mayGive={mayGive} />
      <RuleFields control={form.control} open={code !== null && hasRules(code)} />
      <FormEnd control={form.control} onLeave={onDone}>
        {code === null ? 'Create Code' : 'Save Code'}
      </FormEnd>
    </Form>
  );
}

/** Returns the initial values of the form: empty, or those of a code. */
function toTyped(code: DiscountCode | null): TypedCoupon {
  return {
    code: code?.code ?? '',
    discount_type: code?.discount_type ?? 'percentage',
    discount_value: code === null ? '' : String(code.discount_value),
    description: code?.description ?? '',
    min_hours: String(code?.min_hours ?? ''),
    max_uses: String(code?.max_uses ?? ''),
    expires_at: code?.expires_at ? studioDate(new Date(code.expires_at)) : '',
    per_user_limit: String(code?.per_user_limit ?? ''),
    customer_email: code?.customer_email ?? '',
    valid_from: code?.valid_from ? studioDate(new Date(code.valid_from)) : '',
    weekdays: WEEKDAYS.map((_, day) => code?.weekdays?.includes(day) === true),
    from_hour: String(code?.from_hour ?? ''),
    until_hour: String(code?.until_hour ?? ''),
  };
}

function Fields({ control, mayGive }: { control: Control<TypedCoupon, unknown, CouponDraft>; mayGive: boolean }) {
  return (
    <>
      <TextField
        control={control}
        label="Code"
        name="code"
        required
        autoComplete="off"
        autoCapitalize="characters"
        maxLength={COUPON_CODE_MAX}
        hint="Saved in capital letters."
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <ChoiceField control={control} label="Discount type" name="discount_type" options={TYPES} />
        <TextField
          control={control}
          label="Value"
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
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          control={control}
          label="Minimum hours (optional)"
          name="min_hours"
          type="number"
          step="0.5"
          min="0.5"
        />
        <TextField control={control} label="Max uses (optional)" name="max_uses" type="number" step="1" min="1" />
      </div>
      <TextField
        control={control}
        label="Expires (optional)"
        name="expires_at"
        type="date"
        hint="Valid until the end of that day in Sydney."
      />
    </>
  );
}

/** The name of the constraint, which PostgREST includes in the message of a refusal. */
const OVER_USED = 'discount_codes_never_over_used';

/** Explains a refusal of the database. */
function whyNot(cause: unknown): string {
  const code = errorCode(cause);
  if (code === '23505') return `${FAILED}: this code already exists.`;
  if (code === '23514')
    return describeError(cause, '').includes(OVER_USED)
      ? `${FAILED}: it has already been used more often than the new maximum.`
      : `${FAILED}: these values do not match. Check them and try again.`;
  if (code === '22003') return `${FAILED}: a number is too large.`;
  if (code === '42501')
    return isMoneyMissing(cause)
      ? `${FAILED}: ${describeError(cause, '')}.`
      : `${FAILED}: only administrators can do this.`;
  return `${FAILED}. Please try again.`;
}
