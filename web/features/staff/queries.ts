import { type Permission, PERMISSIONS } from '#rules/permissions.ts';
import { rest } from '#web/data/rest.ts';
import { rowsWith } from '#web/data/rows.ts';

/** Reads what an account of staff may do. */
export async function readPermissions(userId: string): Promise<ReadonlySet<Permission>> {
  const { data, error } = await rest.from('staff_permissions').select('permission').eq('user_id', userId);
  if (error) throw error;
  return new Set(PERMISSIONS.filter((one) => data.some(({ permission }) => permission === one)));
}

/** Whether the server lets this session act as staff. With ADMIN_REQUIRES_MFA only after the second factor. */
export async function readStaffRights(): Promise<boolean> {
  const { data, error } = await rest.rpc('is_staff');
  return error === null && data === true;
}

/** Whether the server shows the developer pages to the caller; false when the call fails. */
export async function readDeveloperPagesOpen(): Promise<boolean> {
  const { data, error } = await rest.rpc('developer_pages_open');
  return error === null && data === true;
}

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
