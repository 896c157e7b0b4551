import { rest } from '#web/data/rest.ts';
import { rowsWith } from '#web/data/rows.ts';

export type StaffBooking = {
  readonly id: string;
  readonly reference: string;
  readonly user_id: string | null;
  readonly studio_name: string;
  readonly start_time: string;
  readonly end_time: string;
  readonly status: 'pending' | 'confirmed' | 'cancelled';
  readonly final_cost: number;
  readonly notes: string | null;
  /** Phone number given at checkout. */
  readonly contact_phone: string | null;
};
export type Booker = {
  readonly full_name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
};

/** How many bookings are read. */
export const BOOKINGS_SHOWN = 100;

/** Reads the bookings that have not ended, earliest first. */
export async function readUpcomingBookings(): Promise<StaffBooking[]> {
  const { data, error } = await rest
    .rpc('upcoming_bookings', { ends_after: new Date().toISOString(), most: BOOKINGS_SHOWN })
    .select('id,reference,user_id,studio_name,start_time,end_time,status,final_cost,notes,contact_phone');
  if (error) throw error;
  return rowsWith(data, 'id', 'reference', 'studio_name', 'start_time', 'end_time', 'status', 'final_cost');
}

/** Reads the customers by user id. */
export async function readBookers(ids: readonly string[]): Promise<ReadonlyMap<string, Booker>> {
  if (ids.length === 0) return new Map();
  const { data, error } = await rest
    .from('profiles')
    .select('user_id,full_name,email,phone')
    .in('user_id', [...ids]);
  if (error) throw error;
  return new Map(data.map((one) => [one.user_id, one] as const));
}
