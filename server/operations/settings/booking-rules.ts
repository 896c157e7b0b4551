import type { BusinessSettings, HoldLimits } from '#rules/business/business.ts';
import type { Queryable } from '#server/db/database.ts';
import { callJson } from '../core/call-sql.ts';

/** The settings that affect bookings: `private.booking_settings()`. */
export type BookingRules = Pick<
  BusinessSettings,
  'holdMinutes' | 'horizonDays' | 'freeCancelHours' | 'termsVersion' | 'email'
> &
  HoldLimits;

/** Returns how many minutes unpaid hours are held: HOLD_MINUTES if the operator has set it, otherwise the setting of staff. */
export const resolveHoldMinutes = (
  { holdMinutes: byOperator }: { readonly holdMinutes: number | null },
  { holdMinutes }: { readonly holdMinutes: number },
): number => byOperator ?? holdMinutes;

/** Reads the current settings that affect bookings. */
export async function readBookingRules(db: Queryable): Promise<BookingRules> {
  const rules = await callJson(db, 'booking_settings', {}, (json: BookingRules) => json);
  if (rules === null) throw new Error('booking_settings returned nothing');
  return rules;
}
