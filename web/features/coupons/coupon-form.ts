import { couponExpiry } from '#rules/coupons.ts';
import { isStudioDate } from '#rules/studio-time.ts';

/** Reads the form of a discount code for the schema to check. Empty optional fields become null. */
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

/** Converts the texts to values. `isBad`: the input holds something invalid, for which the browser gives ''. */
export function couponFields(
  textOf: (name: string) => string,
  isBad: (name: string) => boolean = () => false,
): Record<string, unknown> {
  const numberOf = (name: string): number | null => {
    const text = textOf(name);
    if (text === '' && !isBad(name)) return null;
    const number = Number(text);
    // 0 fails with the same message as a number that is not positive.
    return text === '' || Number.isNaN(number) ? 0 : number;
  };
  const day = textOf('expires_at');
  return {
    code: textOf('code'),
    discount_type: textOf('discount_type'),
    // Two decimals, as in the column.
    discount_value: Math.round((numberOf('discount_value') ?? 0) * 100) / 100,
    description: textOf('description') === '' ? null : textOf('description'),
    min_hours: numberOf('min_hours'),
    max_uses: numberOf('max_uses'),
    // An incomplete date must fail, not count as empty.
    expires_at: isStudioDate(day)
      ? couponExpiry(day).toISOString()
      : day === '' && !isBad('expires_at')
        ? null
        : 'half',
  };
}
