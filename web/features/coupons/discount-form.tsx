import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { COUPON_CODE_MAX, COUPON_DESCRIPTION_MAX, couponSchema } from '#rules/coupons.ts';
import { firstError } from '#rules/people.ts';
import { studioDate } from '#rules/studio-time.ts';
import { errorCode } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { SelectField } from '#web/ui/choice.tsx';
import { Field } from '#web/ui/field.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { SEE_FIELD, toast } from '#web/ui/toast.tsx';
import { readCouponForm } from './coupon-form.ts';
import { type CouponDraft, type DiscountCode, saveDiscountCode } from './queries.ts';

const FAILED = 'Failed to save discount code';
const TYPES = [
  { value: 'percentage', label: 'Percentage' },
  { value: 'fixed', label: 'Fixed' },
];
type Problem = { readonly field: string; readonly message: string };

/** Creates a discount code, or edits the given one. */
export function DiscountForm({ code, onDone }: { code: DiscountCode | null; onDone: () => void }) {
  const client = useQueryClient();
  const [problem, setProblem] = useState<Problem | null>(null);
  const save = useMutation({
    mutationFn: (draft: CouponDraft) => saveDiscountCode(code?.id ?? null, draft),
    onSuccess: async (_, draft) => {
      await client.invalidateQueries({ queryKey: ['discount-codes'] });
      const title = code === null ? 'Discount code created successfully' : 'Discount code updated successfully';
      toast({ title, description: draft.code });
      onDone();
    },
    onError: (cause) => {
      setProblem({ field: '', message: whyNot(cause) });
      toast({ title: 'Error', description: FAILED, tone: 'bad' });
    },
  });

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const parsed = couponSchema.safeParse(readCouponForm(event.currentTarget));
    if (parsed.success) {
      setProblem(null);
      save.mutate(parsed.data);
      return;
    }
    const message = firstError(parsed.error);
    setProblem({ field: String(parsed.error.issues[0]?.path[0] ?? ''), message });
    toast({ title: 'Validation Error', description: SEE_FIELD, tone: 'bad' });
  }

  const errorOf = (field: string): string | null => (problem?.field === field ? problem.message : null);
  return (
    <form onSubmit={submit} noValidate className="space-y-4">
      <Fields code={code} errorOf={errorOf} />
      {problem?.field === '' ? (
        <Notice tone="bad">
          <p>{problem.message}</p>
        </Notice>
      ) : null}
      <div className="flex flex-wrap gap-3 pt-2">
        <Button type="submit" busy={save.isPending}>
          {code === null ? 'Create Code' : 'Save Code'}
        </Button>
        <Button tone="plain" disabled={save.isPending} onClick={onDone}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

function Fields({ code, errorOf }: { code: DiscountCode | null; errorOf: (field: string) => string | null }) {
  return (
    <>
      <Field
        label="Code"
        name="code"
        required
        autoComplete="off"
        autoCapitalize="characters"
        maxLength={COUPON_CODE_MAX}
        defaultValue={code?.code}
        hint="Saved in capitals."
        error={errorOf('code')}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="Discount type"
          name="discount_type"
          options={TYPES}
          defaultValue={code?.discount_type ?? 'percentage'}
          error={errorOf('discount_type')}
        />
        <Field
          label="Value"
          name="discount_value"
          type="number"
          step="0.01"
          min="0.01"
          required
          defaultValue={code?.discount_value}
          hint="Percent, or dollars."
          error={errorOf('discount_value')}
        />
      </div>
      <Field
        label="Description (optional)"
        name="description"
        autoComplete="off"
        maxLength={COUPON_DESCRIPTION_MAX}
        defaultValue={code?.description ?? ''}
        error={errorOf('description')}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="Minimum hours (optional)"
          name="min_hours"
          type="number"
          step="0.5"
          min="0.5"
          defaultValue={code?.min_hours ?? ''}
          error={errorOf('min_hours')}
        />
        <Field
          label="Max uses (optional)"
          name="max_uses"
          type="number"
          step="1"
          min="1"
          defaultValue={code?.max_uses ?? ''}
          error={errorOf('max_uses')}
        />
      </div>
      <Field
        label="Expires (optional)"
        name="expires_at"
        type="date"
        defaultValue={code?.expires_at ? studioDate(new Date(code.expires_at)) : ''}
        hint="Valid until the end of that day in Sydney."
        error={errorOf('expires_at')}
      />
    </>
  );
}

/** Explains a refusal of the database. */
function whyNot(cause: unknown): string {
  const code = errorCode(cause);
  if (code === '23505') return `${FAILED}: this code already exists.`;
  if (code === '23514') return `${FAILED}: it has already been used more times than the new maximum.`;
  if (code === '22003') return `${FAILED}: a number is too large.`;
  if (code === '42501') return `${FAILED}: only administrators can do this.`;
  return `${FAILED}. Please try again.`;
}
