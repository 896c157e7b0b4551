import { supabase } from './supabase.ts';

/** A booking of one's own, or an unpaid hold (`pending`). Money in dollars; `free_cancel_hours` as agreed when it was made. */
export type OwnBooking = {
  readonly id: string;
  readonly reference: string;
  readonly studio_id: string;
  readonly studio_name: string;
  readonly start_time: string;
  readonly end_time: string;
  readonly status: 'pending' | 'confirmed' | 'cancelled';
  readonly hold_expires_at: string | null;
  readonly final_cost: number;
  readonly coupon_code: string | null;
  readonly coupon_type: 'percentage' | 'fixed' | null;
  readonly coupon_value: number | null;
  readonly free_cancel_hours: number | null;
  readonly created_at: string;
};

/** One's own bookings, the latest first; holds that were given up without paying are not among them. */
export async function readOwnBookings(): Promise<readonly OwnBooking[]> {
  const { data, error } = await supabase.rpc('own_bookings');
  if (error) throw error;
  const bookings: readonly OwnBooking[] = data ?? [];
  return bookings;
}

/** Whether a hold can still be paid for. */
export function isOpenHold(booking: OwnBooking, now: Date): boolean {
  return (
    booking.status === 'pending' &&
    booking.hold_expires_at !== null &&
    Date.parse(booking.hold_expires_at) > now.getTime()
  );
}
