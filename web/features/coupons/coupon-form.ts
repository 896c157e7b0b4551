import { couponExpiry } from '#rules/coupons.ts';
import { isStudioDate } from '#rules/studio-time.ts';

/** What was typed into the form of a discount code, for the schema to judge: empty optional fields are null (spec section 5). */
export function readCouponForm(form: HTMLFormElement): unknown {
  const fields = new FormData(form);
  const textOf = (name: string): string => {
    const value = fields.get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  return couponFields(textOf, (name) => {
    const input = form.elements.namedItem(name);
    return input instanceof HTMLInputElement && input.validity.badInput;
  });
}

/** Words to values. `isBad`: the browser holds something there that is no number and gives '' for it. */
export function couponFields(
  textOf: (name: string) => string,
  isBad: (name: string) => boolean = () => false,
): Record<string, unknown> {
  const numberOf = (name: string): number | null => {
    const text = textOf(name);
    if (text === '' && !isBad(name)) return null;
    const number = Number(text);
    // Not a number is told in the same words as a number that is not positive.
    return text === '' || Number.isNaN(number) ? 0 : number;
  };
  const day = textOf('expires_at');
  return {
    code: textOf('code'),
    discount_type: textOf('discount_type'),
    // Two decimals, as the column keeps it.
    discount_value: Math.round((numberOf('discount_value') ?? 0) * 100) / 100,
    description: textOf('description') === '' ? null : textOf('description'),
    min_hours: numberOf('min_hours'),
    max_uses: numberOf('max_uses'),
    // Half a date is told of, not forgotten.
    expires_at: isStudioDate(day)
      ? couponExpiry(day).toISOString()
      : day === '' && !isBad('expires_at')
        ? null
        : 'half',
  };
}
