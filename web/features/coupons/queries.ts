import { type CouponHours, type CouponTerms, isDiscountType } from '#rules/coupon-discount.ts';
import type { Slot } from '#rules/slots.ts';
import { slotEnd, slotStart } from '#rules/studio-time.ts';
import { constants } from '#rules/venue.ts';
import { rest } from '#web/data/rest.ts';
import { rowsWith } from '#web/data/rows.ts';

/** The discount of a code, the minimum number of hours that it needs, and the hours at which it works. */
export type Coupon = CouponTerms & { readonly minHours: number | null; readonly hours: CouponHours };
/** The server refused the code. The message is for people. */
export class CouponRefused extends Error {
  override readonly name = 'CouponRefused';
}
/**
 * Checks a code for these hours, which must be in order. If `slots` is null, checks the code for the longest possible booking at any time.
 * Throws `CouponRefused` with the server's message.
 */
export async function validateCoupon(code: string, slots: readonly Slot[] | null): Promise<Coupon> {
  const { data, error } = await rest.rpc('validate_discount_code', {
    code_input: code,
    booking_hours: slots?.length ?? constants.maxHours,
    ...toSpan(slots ?? []),
  });
  if (error) throw error;
  const [answer] = data;
  const [valid] = rowsWith(answer?.is_valid ? [answer] : [], 'code', 'discount_value');
  if (!valid || !isDiscountType(valid.discount_type))
    throw new CouponRefused(answer?.error_message ?? 'Invalid coupon code');
  return {
    code: valid.code,
    discountType: valid.discount_type,
    discountValue: valid.discount_value,
    minHours: valid.min_hours,
    hours: {
      weekdays: valid.weekdays,
      fromHour: valid.from_hour,
      untilHour: valid.until_hour,
      worksWhen: valid.works_when,
    },
  };
}

function toSpan(slots: readonly Slot[]): { booking_start?: string; booking_end?: string } {
  const [first, last] = [slots[0], slots.at(-1)];
  const start = first && slotStart(first.date, first.hour);
  return last && start
    ? { booking_start: start.toISOString(), booking_end: slotEnd(last.date, last.hour).toISOString() }
    : {};
}
