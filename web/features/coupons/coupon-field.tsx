import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useFormState } from 'react-hook-form';
import { z } from 'zod';
import { couponCodeSchema, couponLabel } from '#rules/coupons.ts';
import type { Slot } from '#rules/slots.ts';
import { describeError } from '#web/lib/errors.ts';
import { Button, Meter } from '#web/ui/button.tsx';
import { TextField } from '#web/ui/form/fields.tsx';
import { Form, SubmitButton } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { toast } from '#web/ui/toast.tsx';
import { validateCoupon } from './queries.ts';
import type { CouponState } from './use-coupon.ts';

/** A field for a coupon code, and the result of checking it. `folded`: the field starts as a button, for small spaces. */
export function CouponField({
  slots,
  coupon,
  folded = false,
  disabled = false,
}: {
  /** The chosen hours, in order. */
  slots: readonly Slot[];
  coupon: CouponState;
  folded?: boolean;
  disabled?: boolean;
}) {
  const [open, setOpen] = useState(!folded);
  // The pressed element disappears, so move the focus to what replaces it.
  const [moved, setMoved] = useState(false);
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (moved) container.current?.querySelector<HTMLElement>('input, button')?.focus();
  }, [moved, open, coupon.applied]);
  const remove = (): void => {
    setMoved(true);
    coupon.remove();
  };
  const unfold = (): void => {
    setMoved(true);
    setOpen(true);
  };
  return (
    <div ref={container}>
      {coupon.checking !== null ? (
        <Checking code={coupon.checking} />
      ) : coupon.unsure !== null ? (
        <Unsure code={coupon.unsure} onTryAgain={coupon.lookAgain} onRemove={remove} />
      ) : coupon.applied || coupon.unfit ? (
        <Shown coupon={coupon} disabled={disabled} onRemove={remove} />
      ) : open || coupon.lost ? (
        <Entry slots={slots} coupon={coupon} disabled={disabled} onApplied={() => setMoved(true)} />
      ) : (
        <Button tone="quiet" disabled={disabled} aria-expanded={false} onClick={unfold} className="max-lg:text-sm">
          Add a coupon code
        </Button>
      )}
    </div>
  );
}

function Checking({ code }: { code: string }) {
  return (
    <output className="flex min-h-12 items-center gap-3 border border-line px-4 py-2 text-fog">
      <Meter />
      <span className="min-w-0">
        Checking your code <strong className="break-all text-chalk">{code}</strong>
      </span>
    </output>
  );
}

/** Shows the coupon in use, or a coupon that does not work for the chosen hours. */
function Shown({ coupon, disabled, onRemove }: { coupon: CouponState; disabled: boolean; onRemove: () => void }) {
  const { applied, unfit } = coupon;
  const shown = applied ?? unfit?.coupon ?? null;
  if (shown === null) return null;
  return (
    <div
      className={`flex items-center justify-between gap-3 border px-4 py-0.5 ${unfit ? 'border-warn' : 'border-good'}`}
    >
      <p className="min-w-0">
        <strong className="break-all">{shown.code}</strong>{' '}
        <span className="text-fog">{unfit?.why ?? couponLabel(shown)}</span>
      </p>
      <Button tone="quiet" disabled={disabled} aria-label={`Remove the code ${shown.code}`} onClick={onRemove}>
        Remove
      </Button>
    </div>
  );
}

const schema = z.object({ code: couponCodeSchema });

function Entry({
  slots,
  coupon,
  disabled,
  onApplied,
}: {
  slots: readonly Slot[];
  coupon: CouponState;
  disabled: boolean;
  onApplied: () => void;
}) {
  const { lost } = coupon;
  const form = useSchemaForm(schema, { defaultValues: { code: lost?.code ?? '' } });
  const { control } = form;
  const { isDirty } = useFormState({ control });
  const apply = useMutation({
    mutationFn: ({ code }: { code: string }) => validateCoupon(code, slots),
    meta: { handled: true },
    onSuccess: (found) => {
      onApplied();
      coupon.apply(found);
      toast({ title: 'Coupon Applied!', description: couponLabel(found) });
    },
    onError: (error) => refuseForm(form, { message: describeError(error, 'Failed to validate coupon'), field: 'code' }),
  });
  return (
    <Form form={form} onSend={apply.mutateAsync} getTitle={() => null} className="flex items-start gap-2">
      <TextField
        control={control}
        name="code"
        label="Coupon code"
        className="min-w-0 grow"
        autoComplete="off"
        autoCapitalize="characters"
        disabled={disabled}
        problem={isDirty ? null : (lost?.message ?? null)}
      />
      <SubmitButton control={control} tone="plain" disabled={disabled} className="mt-[1.65rem] shrink-0 px-4">
        Apply
      </SubmitButton>
    </Form>
  );
}

/** Shown if the code could not be checked. The price depends on it. */
function Unsure({ code, onTryAgain, onRemove }: { code: string; onTryAgain: () => void; onRemove: () => void }) {
  return (
    <div role="alert" className="border-l-4 border-warn bg-deck p-4">
      <p>
        We couldn’t check your code <strong className="break-all">{code}</strong> just now.
      </p>
      <div className="mt-3 flex flex-wrap gap-3">
        <Button tone="plain" onClick={onTryAgain}>
          Try again
        </Button>
        <Button tone="quiet" onClick={onRemove}>
          Continue without it
        </Button>
      </div>
    </div>
  );
}
