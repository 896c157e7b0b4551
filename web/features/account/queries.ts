import { callFunction, supabase } from '#web/lib/supabase.ts';

export type Profile = {
  readonly full_name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly dj_name: string | null;
  readonly date_of_birth: string | null;
};
export type OwnBooking = {
  readonly id: string;
  readonly reference: string;
  readonly studio_name: string;
  readonly start_time: string;
  readonly end_time: string;
  readonly status: 'pending' | 'confirmed' | 'cancelled';
  readonly final_cost: number;
};

export async function readProfile(userId: string): Promise<Profile> {
  const { data, error } = await supabase
    .from('profiles')
    .select('full_name,email,phone,dj_name,date_of_birth')
    .eq('user_id', userId)
    .single();
  if (error) throw error;
  return data;
}
export async function saveProfile(userId: string, profile: Omit<Profile, 'email'>): Promise<void> {
  const { error } = await supabase.from('profiles').update(profile).eq('user_id', userId);
  if (error) throw error;
}
export async function changeEmail(email: string, currentPassword: string | null): Promise<void> {
  const { error } = await supabase.auth.updateUser({
    email,
    ...(currentPassword === null ? {} : { current_password: currentPassword }),
  });
  if (error) throw error;
}
export async function changePassword(password: string, currentPassword: string | null): Promise<void> {
  const { error } = await supabase.auth.updateUser({
    password,
    ...(currentPassword === null ? {} : { current_password: currentPassword }),
  });
  if (error) throw error;
}
export async function readOwnBookings(userId: string): Promise<OwnBooking[]> {
  const { data, error } = await supabase
    .from('bookings')
    .select('id,reference,studio_name,start_time,end_time,status,final_cost')
    .eq('user_id', userId)
    .order('start_time', { ascending: false })
    .limit(100);
  if (error) throw error;
  return data;
}
export function cancelBooking(
  bookingId: string,
): Promise<{ cancelled: boolean; refund: 'full' | 'none'; amount: number }> {
  return callFunction('cancel-booking', { bookingId });
}
