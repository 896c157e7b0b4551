import { supabase } from '#web/data/client.ts';

export type Role = 'admin' | 'user';

/** Somebody's role; 'user' when there is no row or the question fails (spec section 6). The server decides again at every call. */
export async function readRole(userId: string): Promise<Role> {
  const { data, error } = await supabase.from('user_roles').select('role').eq('user_id', userId).maybeSingle();
  return error === null && data?.role === 'admin' ? 'admin' : 'user';
}

/** Whether the server lets this session act as staff: where staff must have a second factor, only once it was shown (ADMIN_REQUIRES_MFA). */
export async function askStaffRights(): Promise<boolean> {
  const { data, error } = await supabase.rpc('is_staff');
  return error === null && data === true;
}

/** Whether the developer pages are there for the caller, as the server has it; no when it cannot be asked (decisions T-62). */
export async function askDeveloperPages(): Promise<boolean> {
  const { data, error } = await supabase.rpc('developer_pages_open');
  return error === null && data === true;
}

export type StaffBooking = {
  readonly id: string;
  readonly reference: string;
  readonly user_id: string | null;
  readonly studio_name: string;
  readonly start_time: string;
  readonly end_time: string;
  readonly status: 'pending' | 'confirmed';
  readonly final_cost: number;
  readonly notes: string | null;
  /** The number given with the payment. */
  readonly contact_phone: string | null;
};
export type Booker = {
  readonly full_name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
};

/** How many bookings are read at once. */
export const BOOKINGS_SHOWN = 100;

/** The next bookings that are not over, the first first; without names for who is not staff. */
export async function readUpcomingBookings(): Promise<StaffBooking[]> {
  const { data, error } = await supabase
    .from('bookings')
    .select('id,reference,user_id,studio_name,start_time,end_time,status,final_cost,notes,contact_phone')
    .in('status', ['pending', 'confirmed'])
    .gt('end_time', new Date().toISOString())
    .order('start_time')
    .order('studio_name')
    .limit(BOOKINGS_SHOWN)
    .overrideTypes<StaffBooking[], { merge: false }>();
  if (error) throw error;
  return data;
}

/** Who booked, by id. */
export async function readBookers(ids: readonly string[]): Promise<ReadonlyMap<string, Booker>> {
  if (ids.length === 0) return new Map();
  const { data, error } = await supabase
    .from('profiles')
    .select('user_id,full_name,email,phone')
    .in('user_id', [...ids])
    .overrideTypes<(Booker & { user_id: string })[], { merge: false }>();
  if (error) throw error;
  return new Map(data.map((one) => [one.user_id, one] as const));
}
