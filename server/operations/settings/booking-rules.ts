import type { BusinessSettings, HoldLimits } from '#rules/business/business.ts';
import type { Queryable } from '#server/db/database.ts';
import { callJson } from '../core/call-sql.ts';

/** The settings that decide about bookings: `private.booking_settings()`. */
export type BookingRules = Pick<
  BusinessSettings,
  'holdMinutes' | 'horizonDays' | 'freeCancelHours' | 'termsVersion' | 'email'
> &
  HoldLimits;

/** Returns for how long unpaid hours are held: HOLD_MINUTES where the operator has set it, else what staff have set. */
export const resolveHoldMinutes = (
  { holdMinutes: byOperator }: { readonly holdMinutes: number | null },
  { holdMinutes }: { readonly holdMinutes: number },
): number => byOperator ?? holdMinutes;

/** Reads the settings that decide about bookings, as they are now. */
export async function readBookingRules(db: Queryable): Promise<BookingRules> {
  const rules = await callJson(db, 'booking_settings', {}, (json: BookingRules) => json);
  if (rules === null) throw new Error('booking_settings returned nothing');
  return rules;
}
