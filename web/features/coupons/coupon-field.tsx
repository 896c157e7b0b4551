import { type FormEvent, useEffect, useRef, useState } from 'react';
import { couponCodeSchema, couponLabel } from '#rules/coupons.ts';
import { firstError } from '#rules/people.ts';
import { describeError } from '#web/lib/errors.ts';
import { Button, Meter } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { toast } from '#web/ui/toast.tsx';
import { validateCoupon } from './queries.ts';
import type { CouponState } from './use-coupon.ts';

/** Field for a coupon code, and its result. `folded`: starts as a button, for small spaces. */
export function CouponField({
  hours,
  coupon,
  folded = false,
  disabled = false,
}: {
  hours: number;
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
  const shown = coupon.applied ?? coupon.tooShort;
  return (
    <div ref={container}>
      {coupon.checking !== null ? (
        <output className="flex min-h-12 items-center gap-3 border border-line px-4 py-2 text-fog">
          <Meter />
          <span className="min-w-0">
            Checking your code <strong className="break-all text-chalk">{coupon.checking}</strong>
          </span>
        </output>
      ) : coupon.unsure !== null ? (
        <Unsure
          code={coupon.unsure}
          onTryAgain={coupon.lookAgain}
          onRemove={() => {
            setMoved(true);
            coupon.remove();
          }}
        />
      ) : shown ? (
        <div
          className={`flex items-center justify-between gap-3 border px-4 py-0.5 ${coupon.tooShort ? 'border-warn' : 'border-good'}`}
        >
          <p className="min-w-0">
            <strong className="break-all">{shown.code}</strong>{' '}
            <span className="text-fog">
              {coupon.tooShort ? `needs at least ${coupon.tooShort.minHours} hours` : couponLabel(shown)}
            </span>
          </p>
          <Button
            tone="quiet"
            disabled={disabled}
            aria-label={`Remove the code ${shown.code}`}
            onClick={() => {
              setMoved(true);
              coupon.remove();
            }}
          >
            Remove
          </Button>
        </div>
      ) : open || coupon.lost ? (
        <Entry hours={hours} coupon={coupon} disabled={disabled} onApplied={() => setMoved(true)} />
      ) : (
        <Button
          tone="quiet"
          disabled={disabled}
          aria-expanded={false}
          onClick={() => {
            setMoved(true);
            setOpen(true);
          }}
          className="min-h-11 py-1 max-lg:text-sm"
        >
          Add a coupon code
        </Button>
      )}
    </div>
  );
}

function Entry({
  hours,
  coupon,
  disabled,
  onApplied,
}: {
  hours: number;
  coupon: CouponState;
  disabled: boolean;
  onApplied: () => void;
}) {
  const { lost } = coupon;
  const [typed, setTyped] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const code = typed ?? lost?.code ?? '';

  async function apply(event: FormEvent): Promise<void> {
    event.preventDefault();
    const parsed = couponCodeSchema.safeParse(code);
    if (!parsed.success) return setError(firstError(parsed.error));
    setBusy(true);
    setError(null);
    try {
      const found = await validateCoupon(parsed.data, hours);
      onApplied();
      coupon.apply(found);
      setTyped('');
      toast({ title: 'Coupon Applied!', description: couponLabel(found) });
    } catch (cause) {
      setError(describeError(cause, 'Failed to validate coupon'));
    } finally {
      setBusy(false);
    }
    return undefined;
  }

  return (
    <form onSubmit={(event) => void apply(event)} className="flex items-start gap-2" noValidate>
      <Field
        label="Coupon code"
        className="min-w-0 grow"
        autoComplete="off"
        autoCapitalize="characters"
        value={code}
        disabled={disabled}
        onChange={(event) => setTyped(event.target.value)}
        error={error ?? (typed === null ? (lost?.message ?? null) : null)}
      />
      <Button type="submit" tone="plain" busy={busy} disabled={disabled} className="mt-[1.65rem] shrink-0 px-4">
        Apply
      </Button>
    </form>
  );
}

/** Shown when the code could not be checked: the price depends on it. */
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
