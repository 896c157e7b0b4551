import type { Control } from 'react-hook-form';
import { slotLabel } from '#rules/slots.ts';
import { CheckField, ChoiceField, TextField } from '#web/ui/form/fields.tsx';
import type { TypedCoupon } from './coupon-form.ts';
import type { CouponDraft, DiscountCode } from './queries.ts';

export const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
/** Days of the week, Monday first. */
const DAYS_IN_ORDER = [1, 2, 3, 4, 5, 6, 0] as const;
const ANY = { value: '', label: 'Any' };
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
const FROM = [ANY, ...HOURS.map((hour) => ({ value: String(hour), label: slotLabel(hour) }))];
const UNTIL = [ANY, ...HOURS.map((hour) => ({ value: String(hour + 1), label: slotLabel(hour + 1) }))];

/** Whether a code has one of the rules of `RuleFields`. */
export function hasRules(code: DiscountCode): boolean {
  return [code.per_user_limit, code.customer_email, code.valid_from, code.works_when].some((rule) => rule !== null);
}

/** The rules about who may use a code and when. `open`: whether the section starts unfolded. */
export function RuleFields({ control, open }: { control: Control<TypedCoupon, unknown, CouponDraft>; open: boolean }) {
  return (
    <details open={open} className="border border-line">
      <summary className="min-h-11 cursor-pointer px-4 py-2.5 font-semibold">Who can use it, and when</summary>
      <div className="space-y-4 px-4 pt-2 pb-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            control={control}
            label="Uses per customer (optional)"
            name="per_user_limit"
            type="number"
            step="1"
            min="1"
          />
          <TextField
            control={control}
            label="Valid from (optional)"
            name="valid_from"
            type="date"
            hint="From the start of that day in Sydney."
          />
        </div>
        <TextField
          control={control}
          label="Only for this email address (optional)"
          name="customer_email"
          type="email"
          autoComplete="off"
        />
        <fieldset>
          <legend className="mb-1 text-sm text-fog">
            Every booked hour must be on one of these days (none for any day)
          </legend>
          <div className="grid grid-cols-2 gap-x-4 sm:grid-cols-4">
            {DAYS_IN_ORDER.map((day) => (
              <CheckField key={day} control={control} name={`weekdays.${day}`}>
                {WEEKDAYS[day]}
              </CheckField>
            ))}
          </div>
        </fieldset>
        <div className="grid grid-cols-2 gap-4">
          <ChoiceField control={control} label="From hour" name="from_hour" options={FROM} />
          <ChoiceField control={control} label="Until hour" name="until_hour" options={UNTIL} />
        </div>
      </div>
    </details>
  );
}
