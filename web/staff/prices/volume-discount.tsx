import type { VolumeStep } from '#rules/pricing.ts';
import { Button } from '#web/ui/button.tsx';
import { SelectField } from '#web/ui/choice.tsx';
import { Field } from '#web/ui/field.tsx';

const HOURS = 24;
const PERCENT_MAX = 90;
const COUNTS = Array.from({ length: HOURS - 1 }, (_, index) => ({
  value: String(index + 2),
  label: `${index + 2} hours`,
}));

/** Edits the tiers of the volume discount. */
export function VolumeDiscount({
  steps,
  onChange,
}: {
  steps: readonly VolumeStep[];
  onChange: (steps: readonly VolumeStep[]) => void;
}) {
  const last = steps.at(-1) ?? { hours: 2, percent: 0 };
  return (
    <fieldset className="space-y-3">
      <legend className="mb-3 text-2xl">Volume discount</legend>
      {steps.length === 0 ? <p className="text-fog">No volume discount.</p> : null}
      {steps.map((step, index) => {
        const change = (next: Partial<VolumeStep>): void => onChange(steps.with(index, { ...step, ...next }));
        return (
          // A tier is identified by its position, because two tiers can have the same values.
          // oxlint-disable-next-line react/no-array-index-key
          <div key={index} className="flex flex-wrap items-end gap-3">
            <SelectField
              label="From"
              options={COUNTS}
              value={String(step.hours)}
              onChange={(event) => change({ hours: Number(event.target.value) })}
              className="w-36"
            />
            <Field
              label="Percent"
              type="number"
              min="1"
              max={PERCENT_MAX}
              value={String(step.percent)}
              onChange={(event) => change({ percent: limit(Number(event.target.value)) })}
              className="w-28"
            />
            <Button tone="quiet" onClick={() => onChange(steps.toSpliced(index, 1))}>
              Remove <span className="sr-only">the discount from {step.hours} hours</span>
            </Button>
          </div>
        );
      })}
      <Button
        tone="plain"
        disabled={steps.length >= HOURS - 1}
        onClick={() =>
          onChange([...steps, { hours: Math.min(last.hours + 1, HOURS), percent: limit(last.percent + 5) }])
        }
      >
        Add tier
      </Button>
    </fieldset>
  );
}

const limit = (percent: number): number => Math.min(Math.max(Math.round(percent), 0), PERCENT_MAX);
