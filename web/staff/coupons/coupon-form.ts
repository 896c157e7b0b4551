import { z } from 'zod';
import { couponExpiry, couponSchema, giftSchema, PERCENT_WITHOUT_MONEY } from '#rules/coupons.ts';
import { dayBounds, isStudioDate, type StudioDate } from '#rules/studio-time.ts';

const text = z.string().trim();
/** The form of a discount code as typed. */
const typedCouponSchema = z.object({
  code: text,
  discount_type: text,
  discount_value: text,
  description: text,
  min_hours: text,
  max_uses: text,
  expires_at: text,
  per_user_limit: text,
  customer_email: text,
  valid_from: text,
  /** Whether each day is chosen, Sunday first. */
  weekdays: z.array(z.boolean()),
  from_hour: text,
  until_hour: text,
});
export type TypedCoupon = z.input<typeof typedCouponSchema>;

/** Converts the texts to values. Empty optional fields become null. A text that is not a number or a date becomes a value that fails validation. */
export function couponFields(typed: TypedCoupon): Record<string, unknown> {
  const { code, discount_type, description, expires_at: lastDay, valid_from: firstDay, weekdays } = typed;
  const days = weekdays.flatMap((on, day) => (on ? [day] : []));
  return {
    code,
    discount_type,
    discount_value: parseNumber(typed.discount_value) ?? 0,
    description: description === '' ? null : description,
    min_hours: parseNumber(typed.min_hours),
    max_uses: parseNumber(typed.max_uses),
    expires_at: toInstant(lastDay, couponExpiry),
    per_user_limit: parseNumber(typed.per_user_limit),
    customer_email: typed.customer_email === '' ? null : typed.customer_email.toLowerCase(),
    valid_from: toInstant(firstDay, (day) => dayBounds(day).start),
    // Choosing all days is the same as no rule.
    weekdays: days.length === 0 || days.length === 7 ? null : days,
    from_hour: parseNumber(typed.from_hour),
    until_hour: parseNumber(typed.until_hour),
  };
}

function toInstant(typed: string, at: (day: StudioDate) => Date): string | null {
  if (typed === '') return null;
  return isStudioDate(typed) ? at(typed).toISOString() : 'no date';
}

/** Returns 0 for an invalid number, which fails validation with the same message as a number that is not positive. */
function parseNumber(typed: string): number | null {
  if (typed === '') return null;
  const number = Number(typed);
  return Number.isNaN(number) ? 0 : number;
}

/** The schema of the form of a discount code. It applies the rules for coupons. */
export const couponFormSchema = typedCouponSchema.transform(couponFields).pipe(couponSchema);

/** The schema of the form of a batch of gift codes. */
export const giftFormSchema = typedCouponSchema
  .pick({ discount_type: true, discount_value: true, description: true, expires_at: true })
  .extend({ prefix: text, amount: text })
  .transform((typed): Record<string, unknown> => ({
    prefix: typed.prefix,
    amount: parseNumber(typed.amount) ?? 0,
    discount_type: typed.discount_type,
    discount_value: parseNumber(typed.discount_value) ?? 0,
    description: typed.description === '' ? null : typed.description,
    expires_at: toInstant(typed.expires_at, couponExpiry),
  }))
  .pipe(giftSchema);

/** Returns the hint of the field for the value. */
export const valueHint = (mayGive: boolean): string =>
  mayGive
    ? 'In percent or dollars.'
    : `Up to ${PERCENT_WITHOUT_MONEY} percent. Higher values and dollar amounts need the “Money” permission.`;

/** Whether a code was refused because it gives money away. The details of such a refusal name the missing permission. */
export const isMoneyMissing = (cause: unknown): boolean =>
  cause !== null && typeof cause === 'object' && 'details' in cause && cause.details === 'money';
