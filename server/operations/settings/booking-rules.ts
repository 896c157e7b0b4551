import type { BusinessSettings, HoldLimits } from '#rules/business/business.ts';
import type { Transaction } from '#server/db/database.ts';

/** The settings that decide about bookings: `private.booking_settings()`. */
export type BookingRules = Pick<
  BusinessSettings,
  'holdMinutes' | 'horizonDays' | 'freeCancelHours' | 'termsVersion' | 'email'
> &
  HoldLimits;

/** Reads the settings that decide about bookings, as they are now. */
export async function readBookingRules(db: Pick<Transaction, 'one'>): Promise<BookingRules> {
  const row = await db.one<{ rules: BookingRules }>('select private.booking_settings() as rules');
  if (row === null) throw new Error('booking_settings returned no row');
  return row.rules;
}
