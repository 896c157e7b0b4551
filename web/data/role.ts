import { rest } from './rest.ts';

export type Role = 'admin' | 'user';

/** Reads an account's role; 'user' when there is no row or the call fails. The server checks again at every call. */
export async function readRole(userId: string): Promise<Role> {
  const { data, error } = await rest.from('user_roles').select('role').eq('user_id', userId).maybeSingle();
  return error === null && data?.role === 'admin' ? 'admin' : 'user';
}
