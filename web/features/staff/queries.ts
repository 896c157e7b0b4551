import { supabase } from '#web/lib/supabase.ts';

export type Role = 'admin' | 'user';

/** Somebody's role; 'user' when there is no row or the question fails (spec section 6). The server decides again at every call. */
export async function readRole(userId: string): Promise<Role> {
  const { data, error } = await supabase.from('user_roles').select('role').eq('user_id', userId).maybeSingle();
  return error === null && data?.role === 'admin' ? 'admin' : 'user';
}

/** Whether the developer pages are there for the caller, as the server has it; no when it cannot be asked (decisions T-62). */
export async function askDeveloperPages(): Promise<boolean> {
  const { data, error } = await supabase.rpc('developer_pages_open');
  return error === null && data === true;
}
