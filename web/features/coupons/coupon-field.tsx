import { type FormEvent, useState } from 'react';
import { couponCodeSchema, couponLabel, type CouponTerms } from '#rules/coupons.ts';
import { firstError } from '#rules/people.ts';
import { describeError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { toast } from '#web/ui/toast.tsx';
import { validateCoupon } from './queries.ts';

export function CouponField({
  hours,
  applied,
  onApply,
}: {
  hours: number;
  applied: CouponTerms | null;
  onApply: (terms: CouponTerms | null) => void;
}) {
  const [code, setCode] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);

  async function apply(event: FormEvent): Promise<void> {
    event.preventDefault();
    const parsed = couponCodeSchema.safeParse(code);
    if (!parsed.success) return setError(firstError(parsed.error));
    setBusy(true);
    setError(null);
    try {
      const found = await validateCoupon(parsed.data, hours);
      onApply(found);
      setCode('');
      toast({ title: 'Coupon Applied!', description: couponLabel(found) });
    } catch (cause) {
      setError(describeError(cause, 'Failed to validate coupon'));
    } finally {
      setBusy(false);
    }
    return undefined;
  }

  if (applied) {
    return (
      <p className="flex items-center justify-between gap-3 border border-good px-4 py-2">
        <span className="min-w-0">
          <strong className="break-all">{applied.code}</strong> <span className="text-fog">{couponLabel(applied)}</span>
        </span>
        <Button tone="quiet" onClick={() => onApply(null)}>
          Remove
        </Button>
      </p>
    );
  }
  return (
    <form onSubmit={(event) => void apply(event)} className="flex items-start gap-2" noValidate>
      <Field
        label="Coupon code"
        className="grow"
        autoComplete="off"
        value={code}
        onChange={(event) => setCode(event.target.value)}
        error={error}
      />
      <Button type="submit" tone="plain" busy={busy} className="mt-[1.65rem]">
        Apply
      </Button>
    </form>
  );
}
